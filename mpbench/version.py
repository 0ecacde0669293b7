"""The version of mpbench, set here and nowhere else."""

__version__ = "0.3.0.dev0"
