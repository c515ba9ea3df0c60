"""The alphabet of shapes, one letter per size, used in every signature of the network.

b  sentences in a batch          d  width of a hidden state
s  source (or memory) positions  h  attention heads
t  target (or query) positions   k  width of one head
v  entries of a vocabulary       f  inner width of a feed-forward
n  positions of any kind

A mask is True where a position may be seen.
"""
