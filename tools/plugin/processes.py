"""plugin: a tool of the user's own, whose Python the job holds."""

from collections.abc import Callable, Mapping
from typing import Any

from tools.command.processes import MOST_BYTES
from tools.processes import Process, over

KEYS = ("role", "argv", "ready", "ready_line", "files", "start_s")
ROLES = ("server", "client")
READY = ("port", "udp_port", "nothing")
HOME = "/run"


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The processes that the tool's own function asks for.

    Raises ValueError, in one line, for what is no process.
    """
    entry = entry_of(traffic)
    name = f"traffic-{index}"
    entry["folder"] = f"{HOME}/{name}"
    addresses = {
        "address": address(traffic["to"], None),
        "source": address(traffic["from"], transport.get("path")),
    }
    asked = module(traffic)["processes"](entry | addresses, address)
    made = [_process(name, each, traffic, transport) for each in asked]
    if not any(each.role == "client" for each in made):
        raise ValueError(f"{traffic['plugin']}: processes returns no client")
    return made


def module(traffic: Mapping[str, Any]) -> dict[str, Any]:
    """The names of the tool's file, which is run."""
    name = traffic["plugin"]
    found: dict[str, Any] = {"__name__": name, "__file__": f"{name}.py"}
    exec(compile(traffic["code"], f"{name}.py", "exec", dont_inherit=True), found)
    return found


def reader(index: int, traffic: Mapping[str, Any]) -> dict[str, Any]:
    """The entry that the tool's own `read` gets, with its number."""
    return {**entry_of(traffic), "index": index}


def entry_of(traffic: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool's functions get: the keys of the entry, without the tool's text."""
    entry = {key: traffic[key] for key in ("from", "to", "port", "duration_s")}
    return {**entry, "start_s": traffic.get("start_s", 0.0), **traffic["values"]}


def _process(
    name: str,
    asked: Mapping[str, Any],
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
) -> Process:
    tool, role = traffic["plugin"], asked.get("role")
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
        host=traffic["to" if role == "server" else "from"],
        argv=over(transport, argv),
        role=str(role),
        output=f"{name}-{role}.txt",
        start_s=float(asked.get("start_s", traffic.get("start_s", 0.0))),
        listens=traffic["port"] if listens else None,
        udp=ready == "udp_port",
        says=None if text is None else str(text),
        lasting=role == "server",
        files=tuple((f"{HOME}/{name}/{file}", str(files[file])) for file in files),
        most_bytes=MOST_BYTES,
    )
