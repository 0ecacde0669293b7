"""Requests and their answers over one connection, one after the other."""
