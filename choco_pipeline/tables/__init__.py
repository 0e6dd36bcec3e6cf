"""Tables: what they are, what they cost, how they are computed, stored and verified."""
