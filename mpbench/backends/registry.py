"""Backends by name."""

import importlib

from mpbench.backends.base import Backend
from mpbench.errors import UserError

VIRTUAL = "virtual"
BACKENDS = {
    VIRTUAL: "mpbench.backends.virtual",
    "native": "mpbench.backends.native",
    "fake": "mpbench.backends.fake",
}
"""Name to the module whose ``create()`` makes the backend; imported when asked for."""

QEMU = "qemu"
"""The key of an identity that has one because jobs may boot in QEMU."""

REAL_TIME = ("native",)
"""Those that go by the host's clock: a run takes its time, and no two executions
of it are the same."""


def create(name: str, in_qemu: bool = False) -> Backend:
    """The backend of a name.

    in_qemu : whether jobs may have a kernel that boots in QEMU; see
        `virtual.VirtualBackend`

    Raises UserError for a name that is none of BACKENDS.
    """
    if name not in BACKENDS:
        raise UserError(f"--backend {name}: unknown; known: {', '.join(BACKENDS)}")
    made = importlib.import_module(BACKENDS[name]).create()
    if name == VIRTUAL:
        made.in_qemu = in_qemu
    backend: Backend = made
    return backend
