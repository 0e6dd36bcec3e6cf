"""Tests of the kernels against the definitions."""
