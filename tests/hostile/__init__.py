"""What somebody may hand over or type, changed at random places, and a run's files with a bit flipped.

What is handed over is answered, or refused in one sentence: never a traceback and never a wait. What a run has written is
found to be damaged, or says the same. ``python -m tests.hostile 1000`` tries a thousand of each kind and says what it found;
``--seed`` repeats it.
"""
