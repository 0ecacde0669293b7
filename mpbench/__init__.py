"""mpbench: Multipath TCP experiments on the real Linux stack, in virtual time."""

__version__ = "0.1.0"
