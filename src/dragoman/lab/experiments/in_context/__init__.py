"""Can a model do from examples in its prompt what its weights were never changed for?"""
