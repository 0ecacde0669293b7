"""Kernels of Debian's in QEMU."""
