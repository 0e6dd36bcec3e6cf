"""Sweeps: the configuration, its tables, and the plan, jobs and ledger of a run."""
