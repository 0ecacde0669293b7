"""The dashboard: one HTML file with all runs of one or more campaigns."""
