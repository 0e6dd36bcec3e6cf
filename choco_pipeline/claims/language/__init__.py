"""The language of claims: files, mistakes and verdicts. No check is imported."""
