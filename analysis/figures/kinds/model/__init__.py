"""Throughput of each path beside LIA's model."""
