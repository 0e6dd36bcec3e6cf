"""Computing on a Dask cluster or in this process."""
