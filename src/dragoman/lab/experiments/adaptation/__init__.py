"""How a pretrained network is adapted: all of it, its new head alone, LoRA, or a prefix."""
