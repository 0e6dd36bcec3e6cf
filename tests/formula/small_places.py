"""All places with small coordinates, and their names."""

from itertools import product

from .drawn import NAMES

LOW, HIGH = -3, 5


PLACES = [dict(zip(NAMES, place, strict=True)) for place in product(range(LOW, HIGH + 1), repeat=3)]
