"""Bars of the objects of a page, or of files, over time."""
