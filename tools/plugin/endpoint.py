"""Bulk data between the two ends of a program that speaks QUIC.

A job of a case with `protocol: mpquic` or `quic` holds this text, as it would hold a
tool of the user's own: docs/quic.md has the command line and the files.
"""

import csv
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def processes(
    entry: Mapping[str, Any], address: Callable[[str, int | None], str]
) -> list[dict[str, Any]]:
    """The two ends. The server says in a line that it is ready."""
    numbers = [int(number) for number in entry["paths"].split(",")]
    sources = ",".join(address(entry["from"], number) for number in numbers)
    program, place = entry["program"], f"{entry['address']}:{entry['port']}"
    control = ["--control", entry["control"], "--out"]
    words = ["--connect", place, "--from", sources]
    if entry["duration_s"] is None:
        words += ["--size", str(int(entry["size"]))]
    else:
        words += ["--duration", entry["duration_s"]]
    words += ["--reverse"] if entry["reversed"] else []
    if entry.get("gather_us"):
        control = ["--gather", str(int(entry["gather_us"])), *control]
    scheduler = ["--scheduler", entry["scheduler"]] if entry["scheduler"] else []
    logs = {"keys": "SSLKEYLOGFILE={}/keys.log", "qlog": "QLOGDIR={}"}
    asked = [text for name, text in logs.items() if entry.get(name)]
    out = {end: f"{entry['folder']}/{end}" for end in ("server", "client")}

    def logging(end: str) -> list[str]:
        """The beginning of a command whose program logs what the entry asks for."""
        return ["env", *(text.format(out[end]) for text in asked)] if asked else []

    server = [program, "server", "--listen", place, *control, out["server"]]
    client = [program, "client", *words, *scheduler, *control, out["client"]]
    return [
        {
            "role": "server",
            "argv": [*logging("server"), *server],
            "ready_line": "ready",
            "files": {"server/.made": ""},
        },
        {
            "role": "client",
            "argv": [*logging("client"), *client],
            "files": {"client/.made": ""},
        },
    ]


def read(folder: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Arrivals as the receiver wrote them, and the sender's notes about its paths.

    All files of both ends become artefacts of the run.
    """
    name = f"traffic-{entry['index']}"
    for end in ("server", "client"):
        for path in sorted(Path("/run", name, end).iterdir()):
            if path.is_file() and path.name != ".made":
                shutil.copyfile(path, folder / f"{name}-{end}-{path.name}")
    sender, receiver = "client", "server"
    if entry["reversed"]:
        sender, receiver = receiver, sender
    arrived = _table(folder / f"{name}-{receiver}-received.csv")
    states = _table(folder / f"{name}-{sender}-paths.csv")
    found: dict[str, Any] = {
        "received": [(int(row["time_ns"]), int(row["bytes"])) for row in arrived]
    }
    for place, number in enumerate(entry["paths"].split(","), start=1):
        own = [row for row in states if int(row["path"]) == place]
        times = [int(row["time_ns"]) for row in own]
        rtts = [int(row["rtt_us"]) / 1e3 for row in own]
        windows = [int(row["cwnd_bytes"]) for row in own]
        found[f"path{number}_rtt"] = list(zip(times, rtts, strict=True))
        found[f"path{number}_window"] = list(zip(times, windows, strict=True))
        # A path that was never opened sent nothing.
        last = own[-1] if own else dict.fromkeys(("lost", "sent"), 0)
        for name in ("lost", "sent"):
            found[f"path{number}_{name}"] = int(last[name]) if states else None
    return found


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
