"""The report of a run: pages, documents for programs, exports, and a crate."""
