"""The report of a run: one offline page for people, JSON and CSV for programs, all from the ledger."""
