"""Tests of the formula language against the plain meaning of drawn formulas."""
