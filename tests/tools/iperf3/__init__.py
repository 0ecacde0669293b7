"""Tests of the tool iperf3 alone."""

ENTRY = "duration: 2 s"
"""Keys of a short entry, but for the tool and its hosts."""
