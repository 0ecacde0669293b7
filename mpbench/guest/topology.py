"""Run the file of a user's topology, and write down the network that it describes.

The file `topology.py` in the current folder becomes `artefacts/topology.json`. What is
wrong with it becomes the reason in `artefacts/outcome.json`.
"""

import json
import sys
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from topologies import Description, Shape, networks, templates
from topologies.parameters import DOWN
from topologies.wiring import Wiring


def main() -> int:
    """Exit status 0 if the file describes a network."""
    folder = Path("artefacts")
    folder.mkdir(exist_ok=True)
    outcome: dict[str, Any] = {"format": 1, "status": "failed", "virtual_s": 0.0}
    try:
        text = json.dumps(described(Path("topology.py").read_text()))
        (folder / "topology.json").write_text(text)
        outcome["status"] = "ok"
    except BaseException as error:
        outcome["error"] = reason(error, "topology.py")
    (folder / "outcome.json").write_text(json.dumps(outcome))
    return 0 if outcome["status"] == "ok" else 1


def reason(error: BaseException, file: str) -> str:
    """`LINE: reason` in one line, with the line of the file where it last was."""
    lines = [
        frame.lineno or 1
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{lines[-1] if lines else 1}: {words[:300]}"


def described(text: str) -> dict[str, Any]:
    """The network of a topology's text, as values for JSON.

    Raises whatever the file raises, and ValueError or TypeError for what is no network.
    """
    module: dict[str, Any] = {"__name__": "topology", "__file__": "topology.py"}
    exec(compile(text, "topology.py", "exec", dont_inherit=True), module)
    description = module.get("DESCRIPTION")
    if not isinstance(description, Description):
        raise TypeError("DESCRIPTION is not a topologies.Description")
    if "resolve" in module:
        raise TypeError("resolve: a topology of your own has none; take it away")
    links = {
        link: {"delays": link not in description.links}
        for link in description.all_links
    }
    for _, fault in networks.faults(description.users, list(links)):
        raise ValueError(fault)
    defaults = {p.name: p.default for p in description.parameters}
    if any(DOWN in name for name in defaults):
        raise ValueError("both directions of a link have the same parameters here")
    wiring = _wiring(module.get("wire"), links)
    return {
        "links": links,
        "defaults": defaults,
        "users": [
            {**asdict(user), "paths": [list(path) for path in user.paths]}
            for user in description.users
        ],
        "wiring": wiring,
    }


def _wiring(
    wire: Any, links: Mapping[str, Mapping[str, bool]]
) -> dict[str, Any] | None:
    """The template of the file's own wiring; None if it has no `wire`."""
    if wire is None:
        return None
    shapes = {
        link: Shape(None if kind["delays"] else 10.0 + number, 10.0, 100)
        for number, (link, kind) in enumerate(links.items())
    }
    wiring = wire(dict(shapes))
    if not isinstance(wiring, Wiring):
        raise TypeError(f"wire returns a {type(wiring).__name__}, not a Wiring")
    return templates.to_json(wiring, shapes)


if __name__ == "__main__":
    sys.exit(main())
