"""Tests of the tool video alone."""

ENTRY = "bitrates: 1 Mbit/s"
"""Keys of a short entry, but for the tool and its hosts."""
