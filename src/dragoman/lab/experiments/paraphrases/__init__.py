"""Do two sentences say the same, where one says it in another order?"""
