"""The language of claims: files, mistakes and verdicts. This package imports no checks."""
