"""Tests of the programs in the box that speak multipath QUIC."""
