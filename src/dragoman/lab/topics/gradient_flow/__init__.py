"""Gradient flow: why gradients vanish and explode over many steps, and what helps (K3)."""
