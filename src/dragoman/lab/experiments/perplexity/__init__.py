"""At equal training time, which language model is the least surprised by unseen articles?"""
