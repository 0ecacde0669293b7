"""Tests of the tool cbr alone."""

ENTRY = "duration: 2 s, rate: 1 Mbit/s"
"""Keys of a short entry, but for the tool and its hosts."""
