"""Tests of the tool pingpong alone."""

ENTRY = "size: [50 B, 1 kB], number: 20"
"""Keys of a short entry, but for the tool and its hosts."""
