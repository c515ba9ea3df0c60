"""Does it pay to pretrain? The same network from pretrained and from random weights."""
