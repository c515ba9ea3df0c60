"""How long does a recurrent network remember, with gates and without?"""
