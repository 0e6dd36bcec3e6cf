"""Formulas as people write them: one line of plain text, and mathematics as it is set. Imports the nodes of formulas alone."""
