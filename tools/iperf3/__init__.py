"""Bulk transfers, by iperf3."""
