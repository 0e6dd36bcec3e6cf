"""Plane pictures of P-positions: copies of smaller ones, and rules by which one follows from another.

Imports no other room of `mining`.
"""
