"""Bars of the objects of a page over time."""
