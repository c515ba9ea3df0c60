"""Adaptation: a pretrained network and a new task, from all of its weights to none (K13)."""
