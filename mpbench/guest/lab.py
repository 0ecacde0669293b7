"""Whether this is a guest of the virtual lab, whose kernel can do more than Linux."""

import os


def in_lab() -> bool:
    """True in a guest that lives for one run."""
    return os.environ.get("MPBENCH_LAB") == "yes"
