"""Figures of a campaign: colour-blind safe, fit for print, the same bytes each time."""
