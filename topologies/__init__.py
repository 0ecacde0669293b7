"""Network topologies, one a file."""
