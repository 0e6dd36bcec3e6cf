"""The language of claims: files, mistakes and verdicts; imports no checks."""
