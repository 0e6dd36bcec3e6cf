"""What checks share: counterexamples explained, failures counted, and integers in ranges.

Imports `language` and `kinds`.
"""
