"""Can a network learn from spoilt sentences which ones are right, and fill a blank?"""
