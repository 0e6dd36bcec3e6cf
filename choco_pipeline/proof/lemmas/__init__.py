"""Claims that follow from claims: lemmas on games in general, and what remains to be decided after them.

A claim names premises, other claims, and lemmas. It is read from its end: the last lemma says which games it needs Grundy
numbers of, the one before says the same of these, and the premises must speak of the games that are left, by their rules and for
the same parameters. Hypotheses of lemmas are decided. What the lemmas then say of the claim's own game is turned into what the
claim says by sentences on integers, which are written from the two and decided by automata. docs/lemmas.md has the proofs.
"""
