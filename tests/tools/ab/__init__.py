"""Tests of the tool ab alone."""

ENTRY = "size: 10 kB, requests: 5"
"""Keys of a short entry, but for the tool and its hosts."""
