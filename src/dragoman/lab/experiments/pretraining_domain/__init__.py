"""Does it matter what text a network was pretrained on, or only whether it was?"""
