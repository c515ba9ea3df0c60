"""Layers that look at images.

b  images in a batch         h w  height and width of an image or a map
c  channels that a layer reads m n  height and width of what it makes of them
d  channels that it makes      p q  height and width of a filter (k if it is square)
"""
