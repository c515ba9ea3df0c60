"""Does a model that writes its steps down add better than one that says the answer at once?"""
