"""Do more layers help, and what do skips have to do with it?"""
