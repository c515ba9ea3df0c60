"""What are the parts of a Transformer for: its feed-forward, its heads, its learned q, k and v?"""
