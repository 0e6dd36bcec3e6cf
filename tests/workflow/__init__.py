"""Tests of whole runs: real Snakemake, real clusters, real signals."""
