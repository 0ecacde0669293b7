"""Adaptive video: chunks in one of several bitrates, a buffer, and a rule."""
