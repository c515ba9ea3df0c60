"""Experiments: several recipes under one budget, and what the course says, put to the test."""
