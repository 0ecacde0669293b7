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

REAL_TIME = ("native",)
"""Those that go by the host's clock: a run takes its time, and no two executions
of it are the same."""


def create(name: str) -> Backend:
    """Raises UserError for a name that is none of BACKENDS."""
    if name not in BACKENDS:
        raise UserError(f"--backend {name}: unknown; known: {', '.join(BACKENDS)}")
    backend: Backend = importlib.import_module(BACKENDS[name]).create()
    return backend
