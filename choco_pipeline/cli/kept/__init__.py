"""Commands on stored results: verify, repair, export."""
