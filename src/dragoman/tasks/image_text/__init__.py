"""Image–text matching (CLIP): images and captions in one space."""
