"""What somebody may hand over, changed at random places: an answer or one sentence, never a traceback and never a wait.

``python -m tests.hostile 1000`` tries a thousand of each kind and says what it found; ``--seed`` repeats it.
"""
