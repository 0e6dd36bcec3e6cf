"""What the machine finds itself: statements over whole families of tables, each with its evidence.

`statements` are what is found; `families` and `height_functions` make them of what was mined; `judge` tries them on what they were not made from, and
ranks them.
"""
