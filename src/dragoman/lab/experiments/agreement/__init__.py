"""Does a network still know the number of the subject when it comes to the verb?"""
