"""Which caption finds its image at the first try: the short one, the descriptive one, or both?"""
