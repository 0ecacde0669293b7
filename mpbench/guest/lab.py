"""Tell a guest of the virtual lab, whose kernel has more than Linux, from a machine."""

import os


def in_lab() -> bool:
    """Whether this process runs in a guest that exists for one run."""
    return os.environ.get("MPBENCH_LAB") == "yes"
