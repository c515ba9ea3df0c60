"""What there is to choose from: finite spaces of trees that count, draw and list themselves."""
