"""Tables in memory: choice of kernels, costs, limits of the machine.

Imports `specs`; knows nothing of stores.
"""
