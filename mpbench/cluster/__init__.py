"""Runs on the workers of a cluster, by dask.distributed."""
