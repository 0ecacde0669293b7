"""Drawings of networks: as SVG for reports, and as text for terminals."""
