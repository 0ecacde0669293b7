"""Measurements of the product: speed, CPU time and memory, each beside a stated aim."""
