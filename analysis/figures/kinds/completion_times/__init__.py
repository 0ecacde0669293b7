"""Cumulative distributions of the completion times of all flows of a point."""
