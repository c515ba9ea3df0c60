"""What training makes small."""
