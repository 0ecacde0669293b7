"""Boxes of a metric, one per batch of a criterion."""
