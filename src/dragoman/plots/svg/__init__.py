"""Panels as inline SVG for pages, in the colors of the page: light and dark, without Matplotlib."""
