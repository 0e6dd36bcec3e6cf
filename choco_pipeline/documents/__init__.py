"""Documents that people and rules exchange: YAML with places, JSON that appears whole."""
