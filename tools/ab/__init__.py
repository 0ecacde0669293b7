"""Requests for one file again and again, by ab (ApacheBench)."""
