"""Medians and quartiles of a metric, one row per case."""
