"""Backends by name."""

import importlib

from mpbench.backends.base import Backend
from mpbench.errors import UserError

BACKENDS = {
    "virtual": "mpbench.backends.virtual",
    "native": "mpbench.backends.native",
    "fake": "mpbench.backends.fake",
}
"""Name to the module whose ``create()`` makes the backend; imported when asked for."""


def create(name: str) -> Backend:
    """Raises UserError for a name that is none of BACKENDS."""
    if name not in BACKENDS:
        raise UserError(f"--backend {name}: unknown; known: {', '.join(BACKENDS)}")
    return importlib.import_module(BACKENDS[name]).create()
