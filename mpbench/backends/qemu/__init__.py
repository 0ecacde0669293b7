"""Kernels that Debian built, unmodified, each run in a machine that QEMU emulates.

The machine has one CPU, no disk and no network card, and its clock counts the CPU's
instructions. A run's files come in with the initial RAM disk and leave through a
serial line.
"""
