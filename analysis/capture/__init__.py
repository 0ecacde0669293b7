"""From packet captures to MPTCP's metrics: `analyse()`, and tables of what it saw."""
