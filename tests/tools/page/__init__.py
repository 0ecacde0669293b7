"""Tests of the tool page alone."""

ENTRY = "objects: [{size: 10 kB}, {size: 20 kB}]"
"""Keys of a short entry, but for the tool and its hosts."""
