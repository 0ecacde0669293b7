"""Means of a metric against a factor, one line per case."""
