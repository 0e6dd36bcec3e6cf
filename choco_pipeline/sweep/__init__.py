"""Sweeps: the configuration, its tables, the plan of a run, its ledger."""
