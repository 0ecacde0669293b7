"""Tests of the tool proxy alone."""
