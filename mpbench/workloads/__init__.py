"""Traffic tools, one a file."""
