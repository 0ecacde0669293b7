"""Tests of networks and links without a guest: the lines that build them."""
