"""Topologies of users: from their files to descriptions, without their code here.

The code runs in a guest, once for each state of the file; what it described is kept in
the cache. With the user's consent it runs on this machine instead.
"""

import contextlib
import hashlib
import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jobs import bare
from mpbench.backends import boot, confinement, guest_code
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError
from mpbench.kernel import barriers, cache
from mpbench.kernel.launcher import CANNOT_CONFINE
from mpbench.plugins import static
from mpbench.plugins.files import Plugin
from mpbench.spec.own_topology import description
from mpbench.store import scratch

WALL_S = 60.0
MOST_BYTES = 1 << 20
HERE = barriers.Bounds(
    file_bytes=16 << 20,
    memory_bytes=16 << 20,
    address_bytes=2 << 30,
    cpu_s=int(WALL_S),
)
"""Bounds of a topology that runs on this machine."""


def described(plugin: Plugin, trusted: bool) -> dict[str, Any]:
    """Description of a topology in its file, checked.

    trusted : whether the file may run on this machine, where no guest kernel is built

    Raises UserError, `file:line: reason`, for a file that describes no network.
    """
    static.declared(plugin)
    key = f"{guest_code.guest_code_hash()}\0{plugin.text}"
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    file = cache.root() / "plugins" / f"{name}.json"
    found = _read(file)
    if found is None:
        found = _run(plugin, trusted)
        try:
            description(plugin.name, found)
        except ValueError as error:
            raise UserError(f"{plugin.path}:1: {error}") from None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{threading.get_ident()}")
            part.write_text(json.dumps(found))
            part.replace(file)
        except OSError as error:
            raise UserError(f"{file}: cannot be kept: {error.strerror}") from error
    return found


def _read(file: Path) -> dict[str, Any] | None:
    found = cache.facts(file)
    try:
        description("cached", found)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return found


def _run(plugin: Plugin, trusted: bool) -> dict[str, Any]:
    with scratch.folder("topology") as folder:
        (folder / "artefacts").mkdir()
        (folder / "topology.py").write_text(plugin.text)
        if trusted:
            _here(folder)
        else:
            _in_guest(folder)
        try:
            outcome = json.loads((folder / "artefacts/outcome.json").read_text())
            if outcome["status"] != "ok":
                raise UserError(f"{plugin.path}:{outcome['error']}")
            file = folder / "artefacts/topology.json"
            if file.stat().st_size > MOST_BYTES:
                raise UserError(f"{plugin.path}:1: describes more than 1 MiB")
            found: dict[str, Any] = json.loads(file.read_text())
        except (OSError, KeyError, TypeError, ValueError):
            reason = "did not end by itself; a topology describes a network at once"
            raise UserError(f"{plugin.path}:1: {reason}") from None
    return found


def _in_guest(folder: Path) -> None:
    program = "import sys; from mpbench.guest.topology import main; sys.exit(main())"
    backend = VirtualBackend(argv=(*boot.PYTHON, "-c", program))
    bounds = Bounds(virtual_s=WALL_S, wall_s=WALL_S, silence_s=WALL_S)
    backend.execute(
        bare(1, WALL_S), folder, None, bounds, lambda _: None, threading.Event()
    )


def _here(folder: Path) -> None:
    """Run the file on this machine, behind the launcher's barriers if there are any."""
    program = "import sys; from mpbench.guest.topology import main; sys.exit(main())"
    plain = [*boot.PYTHON, "-c", program]
    source = confinement.SOURCE.resolve()
    reads = (*confinement.SYSTEM, source / "mpbench", source / "topologies")
    confined = None
    with contextlib.suppress(UserError):  # no launcher, and nobody to compile it
        offered = barriers.offered()
        confined = barriers.command(plain, HERE, reads, offered, [source])
    # Without system call filters the launcher confines nothing. No guest boots there
    # either, and the user trusts the file.
    if confined is None or _status(confined, folder, source) == CANNOT_CONFINE:
        _status(plain, folder, source)


def _status(argv: Sequence[str], folder: Path, source: Path) -> int | None:
    """Exit status of a command in a folder; None if it could not run or did not end."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(source)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=WALL_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode
