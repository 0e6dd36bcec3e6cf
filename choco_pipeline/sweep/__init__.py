"""Sweeps: the configuration, the tables that it asks for, the plan of a run, and its ledger."""
