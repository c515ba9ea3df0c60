"""Counting networks: parameters, FLOPs and memory from settings alone, before anything is built."""
