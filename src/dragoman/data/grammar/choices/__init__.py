"""Finite spaces of syntax trees that count, sample and list themselves."""
