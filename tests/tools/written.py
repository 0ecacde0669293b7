"""Reports of clients, written and read back."""

import json
from pathlib import Path
from typing import Any

LATER = ", start: 1 s"


def written(module: Any, results: Any, folder: Path, keys: str, found: Any) -> Any:
    """An entry and its report, read back."""
    (folder / "traffic-0-client.json").write_text(json.dumps(found))
    entry = module.traffic_of(keys + LATER)
    return entry, results.read(folder, 0, entry)
