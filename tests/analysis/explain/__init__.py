"""Rules that explain a run, on events that are made by hand."""
