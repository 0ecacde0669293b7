"""Limits of a campaign that are its defaults; this file imports nothing."""

GIVE_UP = 20
"""So many failures in a row have a cause outside the runs, such as a misspelt sysctl
or a machine without memory, and further failures would tell nothing new."""

MOST_ATTEMPTS = 3
"""Number of times that a plain resume executes a run that the host cuts short each
time."""
