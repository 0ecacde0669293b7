"""Means of a metric of each case, for parts of a run side by side."""
