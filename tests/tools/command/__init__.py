"""Tests of the tool command alone."""

ENTRY = "duration: 2 s, client: [ping, '{address}']"
"""Keys of a short entry, but for the tool and its hosts."""
