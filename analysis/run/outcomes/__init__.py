"""Outcomes: what became of the connections of each traffic entry of a run."""
