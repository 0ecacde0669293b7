"""Quantities of single runs over time."""
