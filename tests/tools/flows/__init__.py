"""Tests of the tool flows alone."""

ENTRY = "size: 10 kB, connections: 2"
"""Keys of a short entry, but for the tool and its hosts."""
