"""Goodput of each design point: MPTCP beside TCP on every path, stacked."""
