"""The report of a run: pages, machine-readable documents, exports, and a crate."""
