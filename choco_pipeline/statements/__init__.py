"""The language of statements: parsed, printed and evaluated by its definition."""
