"""Does batch norm speed training up, and is it the covariate shift?"""
