"""scipy, loaded when something of it is asked for: `late_scipy.stats.wilcoxon`.

scipy is an extra because of its size. Plans, runs and reports do without it; tests of
published statements and fluid models need it.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """A part of scipy. Raises ModuleNotFoundError where scipy is not installed."""
    if name.startswith("__"):
        raise AttributeError(name)
    return importlib.import_module(f"scipy.{name}")
