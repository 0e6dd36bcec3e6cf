"""Documents: YAML with places, JSON that appears whole."""
