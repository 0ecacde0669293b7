"""plugin: a tool of the user's own, whose Python the job holds."""

from collections.abc import Callable, Mapping
from typing import Any

from jobs import Transport
from tools.plugin.record import Plugin
from tools.processes import Process, over

KEYS = ("role", "argv", "ready", "ready_line", "files", "start_s")
ROLES = ("server", "client")
READY = ("port", "udp_port", "nothing")
HOME = "/run"


def processes(
    index: int,
    entry: Plugin,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The processes that the tool's own function asks for.

    Raises ValueError, in one line, for what is no process.
    """
    given = entry_of(entry)
    name = f"traffic-{index}"
    given["folder"] = f"{HOME}/{name}"
    addresses = {
        "address": address(entry.destination, None),
        "source": address(entry.source, transport.path),
    }
    asked = module(entry.plugin, entry.code)["processes"](given | addresses, address)
    made = [_process(name, each, entry, transport) for each in asked]
    if not any(each.role == "client" for each in made):
        raise ValueError(f"{entry.plugin}: processes returns no client")
    return made


def module(name: str, code: str) -> dict[str, Any]:
    """The names of a plug-in's file, which is run."""
    found: dict[str, Any] = {"__name__": name, "__file__": f"{name}.py"}
    exec(compile(code, f"{name}.py", "exec", dont_inherit=True), found)
    return found


def reader(index: int, entry: Plugin) -> dict[str, Any]:
    """The entry that the tool's own `read` gets, with its number."""
    return {**entry_of(entry), "index": index}


def entry_of(entry: Plugin) -> dict[str, Any]:
    """The entry as the tool's functions get it: its keys, without the tool's text."""
    return {
        "from": entry.source,
        "to": entry.destination,
        "port": entry.port,
        "duration_s": entry.duration_s,
        "start_s": entry.start_s,
        **entry.values,
    }


def _process(
    name: str,
    asked: Mapping[str, Any],
    entry: Plugin,
    transport: Transport,
) -> Process:
    tool, role = entry.plugin, asked.get("role")
    if role not in ROLES or set(asked) - set(KEYS):
        raise ValueError(f"{tool}: a process has {', '.join(KEYS)}; role is {role!r}")
    argv = [str(word) for word in asked["argv"]]
    ready = asked.get("ready", "port" if role == "server" else "nothing")
    if ready not in READY:
        raise ValueError(f"{tool}: ready is {ready!r}; known: {', '.join(READY)}")
    text = asked.get("ready_line")
    listens = ready != "nothing" and text is None and role == "server"
    files = dict(asked.get("files") or {})
    return Process(
        name=f"{name}-{role}",
        host=entry.destination if role == "server" else entry.source,
        argv=over(transport, argv),
        role=str(role),
        output=f"{name}-{role}.txt",
        start_s=float(asked.get("start_s", entry.start_s)),
        listens=entry.port if listens else None,
        udp=ready == "udp_port",
        says=None if text is None else str(text),
        lasting=role == "server",
        files=tuple((f"{HOME}/{name}/{file}", str(files[file])) for file in files),
        most_bytes=entry.most_file_bytes,
    )
