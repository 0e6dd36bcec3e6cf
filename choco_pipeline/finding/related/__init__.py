"""How a game follows from a related one: which games are neighbours, what is compared of them, and what is found."""
