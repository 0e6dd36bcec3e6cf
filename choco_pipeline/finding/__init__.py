"""Search for statements on families of games, each with its evidence.

`statements` are what is found; `families` and `height_functions` make them of what was mined; `judge` tries them on what they were not made from, and
ranks them.
"""
