"""Computing on a Dask cluster or in this process; alone in importing it."""
