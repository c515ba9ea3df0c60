"""How good an output is, in numbers. No torch."""
