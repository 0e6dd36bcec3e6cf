"""Claims: what the papers state, checked on tables, with verdicts that say how far they go."""
