"""Tests of the tool curl alone."""

ENTRY = "size: 1 MB"
"""Keys of a short entry, but for the tool and its hosts."""
