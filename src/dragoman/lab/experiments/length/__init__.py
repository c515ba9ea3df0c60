"""Does a translator that sums a sentence up in one vector fail on long ones, and where?"""
