"""Computing on a Dask cluster or in this process; no other package imports Dask."""
