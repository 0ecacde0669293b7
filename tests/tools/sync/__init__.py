"""Tests of the tool sync alone."""

ENTRY = "files: {count: 3, size: 20 kB}"
"""Keys of a short entry, but for the tool and its hosts."""
