"""What the documentation shows, executed."""
