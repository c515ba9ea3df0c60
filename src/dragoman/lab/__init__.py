"""The lab: comparisons of recipes under one budget, and experiments on claims of the course."""
