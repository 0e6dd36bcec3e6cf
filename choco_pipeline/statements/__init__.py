"""The language of statements: parser, printer and definition of truth."""
