"""Experiment files: text to a frozen, validated Spec."""
