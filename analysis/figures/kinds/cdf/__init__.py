"""Cumulative distributions of a metric."""
