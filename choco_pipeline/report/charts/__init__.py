"""Pictures of tables, and charts of whole numbers, as SVG.

Imports no other room of `report`.
"""
