"""Histograms of the factors' values."""
