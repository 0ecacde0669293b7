"""Topologies of users: from their files to descriptions, without their code here.

The code runs in a guest, once for each state of the file; what it described is kept in
the cache. With the user's consent it runs on this machine instead.
"""

import hashlib
import json
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from mpbench.errors import UserError
from mpbench.plugins.files import Plugin
from topologies import Description, Parameter, User, networks, templates
from topologies.parameters import delay_parameter, link_parameters

WALL_S = 60.0
MOST_BYTES = 1 << 20
MOST_NUMBER = 1e9


def described(plugin: Plugin, trusted: bool) -> dict[str, Any]:
    """What a topology's file describes, checked.

    trusted : whether the file may run on this machine, where no guest kernel is built

    Raises UserError, `file:line: reason`, for a file that describes no network.
    """
    from mpbench.backends import guest_code
    from mpbench.kernel import cache
    from mpbench.plugins import static

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
    try:
        found: dict[str, Any] = json.loads(file.read_text())
        description("cached", found)
    except (OSError, ValueError):
        return None
    return found


def _run(plugin: Plugin, trusted: bool) -> dict[str, Any]:
    from mpbench.store import scratch

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
    from mpbench.backends import boot
    from mpbench.backends.base import Bounds
    from mpbench.backends.virtual import VirtualBackend

    program = "import sys; from mpbench.guest.topology import main; sys.exit(main())"
    backend = VirtualBackend(argv=(*boot.PYTHON, "-c", program))
    bounds = Bounds(virtual_s=WALL_S, wall_s=WALL_S, silence_s=WALL_S)
    job: dict[str, Any] = {"seed": 1, "traffic": []}
    backend.execute(job, folder, None, bounds, lambda _: None, threading.Event())


def _here(folder: Path) -> None:
    from mpbench.backends import boot, confinement

    program = "import sys; from mpbench.guest.topology import main; sys.exit(main())"
    try:
        subprocess.run(
            [*boot.PYTHON, "-c", program],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(confinement.SOURCE)},
            capture_output=True,
            timeout=WALL_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return


def description(name: str, found: Mapping[str, Any]) -> Description:
    """The description of a topology, from what its file described.

    Raises ValueError, in one line, for values that describe no network.
    """
    try:
        return _description(name, found)
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise ValueError(f"not a topology ({reason})") from None


def _description(name: str, found: Mapping[str, Any]) -> Description:
    if set(found) != {"links", "defaults", "users", "wiring"}:
        raise ValueError("not a topology: needs links, defaults, users and wiring")
    users = tuple(
        User(
            str(user["host"]),
            str(user["server"]),
            tuple(tuple(map(str, path)) for path in user["paths"]),
            user["count"],
        )
        for user in found["users"]
    )
    for user in users:
        if user.count not in (None, f"{user.host}.users"):
            raise ValueError(f"the users of {user.host} are not '{user.host}.users'")
    links = dict(found["links"])
    for _, fault in networks.faults(users, list(links)):
        raise ValueError(fault)
    parameters: list[Parameter] = []
    for link, kind in links.items():
        if kind["delays"]:
            parameters.append(delay_parameter(link, 0.0))
        else:
            parameters += link_parameters(link, shared=True)
    made = networks.describe(name, parameters, users)
    known = {parameter.name for parameter in made.parameters}
    if set(found["defaults"]) != known:
        odd = sorted(set(found["defaults"]) ^ known)[0]
        raise ValueError(
            f"parameter '{odd}': a topology has those of link_parameters,"
            " delay_parameter and users_parameter, and no others"
        )
    defaults = {key: _default(key, value) for key, value in found["defaults"].items()}
    made = replace(
        made,
        parameters=tuple(
            replace(parameter, default=defaults[parameter.name])
            for parameter in made.parameters
        ),
        wiring=found["wiring"],
    )
    if made.wiring is not None:
        templates.check(made.wiring, made)
    return made


def _default(name: str, value: object) -> float | int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name}: its default is no number")
    if not 0 <= value <= MOST_NUMBER:
        raise ValueError(f"{name}: its default is out of range")
    return value


@dataclass(frozen=True)
class Checked:
    """Marks a stored topology, checked when a file is read."""

    def check(self, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("expected what `mpbench run` stored")
        description("stored", value)
        return value

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "object"}
