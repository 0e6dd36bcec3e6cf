"""User input with random changes, and files of a run with a flipped bit.

Changed input is answered, or refused in one sentence: no traceback, no endless wait. A damaged file of a run is found to be damaged, or
has the same content.
"""
