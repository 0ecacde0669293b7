"""The campaign: runs in, records out."""
