"""One word of a sentence is missing, nobody knows where: can its place and the word be found?"""
