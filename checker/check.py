"""Decide certificates of impartial chocolate-bar games anew: python3 checker/check.py [--seconds S] FILE...

This file is all of the checker: Python 3.11 or newer and its standard library. It reads nothing but the certificates, and
prints a line for each: proved, refuted (with where), vacuous (nothing satisfies the conditions), undecided (over `--seconds`,
or a statement that it cannot say), or no certificate. Exit code 0: all are proved; 1: some is not; 2: some is no certificate.

Certificates are JSON objects with `"format": 1`. No key may be missing, other or twice, except where "may" is said.

**A game** has no `kind`. `ruleset` is the game and `relation` is "p" or "grundy". `automata[p]`, for p = 0, 1, … passes left
(only p = 0 if the ruleset is no with-pass(…)), has `tracks` "0", "1", … (one for each of `coordinates`, of which "value" is last
for "grundy"), `delta` and `accepting`: it reads the coordinates in base 2, least significant digits first, from state 0;
`delta[q][a]` follows state q and symbol a, bit i of which is the digit of track i. Zeros in front of a number never matter.
`obligations` and `versions` are for people.

**A claim** (`"kind": "claim"`), also on integers, says that the statement `claim` is true with the integers `names`:

    claim     the formal statement as its claims file has it, keys and meanings as docs/claims-reference.md says:
              id, ruleset, some, when, let, reach, check; all but id and check may be missing or null
    names     an integer for each name in `claim.ruleset` and in `claim.some`; of a statement on integers, for those of
              `claim.check.all` that are numbers in this proof (the claim is then proved with these numbers only)
    game      {"file": name of a game certificate in the same folder, "sha256": of that file, in hexadecimal digits};
              null for kinds `options` and `integers`, which need none
    verdict   "proved"; nothing else becomes a certificate
    versions  may be there, and so may `engines`: for people

Formulas and ranges are text (or integers) as in docs/formula-language.md. Proved means:

- ruleset given: `claim.ruleset` with `names` is the game of the certificate `game`, which is proved; `names` are in the ranges
  `some` and satisfy `when` (if not: vacuous); names in `let` follow; and `check`, of one of these kinds, is true for *all*
  positions, or for all those whose coordinates (passes apart) are at most `reach`:
  p-positions, grundy, values, options, grundy-table, grundy-list; with `reach` also p-list and count.
  `values` are integers of any sign. On Grundy numbers the game's relation must be "grundy", else either will do.
- kind `integers`: for every N ≥ `bound` and all integers in their ranges, with those in `let`: `where` implies `holds`, one of
  `any`, that those in `equivalent` are all true or all false, and the `number`. (`finite` is not looked at.)
"""
