"""Documents: YAML files with locations of mistakes, and JSON written atomically."""
