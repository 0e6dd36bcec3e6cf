"""What runs have kept: looked at, verified, repaired, and written for other programs."""
