"""``choco run``: Snakemake, what computes for it, its progress, its lock, and its last lines.

Imports `jobs` and `output` of the command line.
"""
