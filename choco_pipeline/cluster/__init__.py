"""Where the computing happens: on a Dask cluster, or in this process. Only this package imports ``distributed``."""
