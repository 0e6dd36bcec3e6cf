"""Rates of the kernels, and the loops they are measured against."""
