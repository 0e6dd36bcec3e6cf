"""The report of a run: one offline page for people, JSON and CSV for programs, all from the ledger.

Rooms are the sections of the page: `claims`, `proved` games and `found_statements`; they import `math` and `charts`, and never each other.
"""
