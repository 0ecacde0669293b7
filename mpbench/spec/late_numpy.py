"""Functions of numpy by name, which load numpy when they are first called.

Numpy takes as long to load as the reading of a whole file, and few files compute.
"""

from collections.abc import Callable
from typing import Any


def function(name: str) -> Callable[..., Any]:
    """A function that does what numpy's function of this name does."""

    def call(*values: Any) -> Any:
        import numpy as np

        return getattr(np, name)(*values)

    return call
