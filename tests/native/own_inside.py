"""A guest without time travel that runs programs and plug-ins as native runs.

The working directory gets `said.json`: what the command said and the rows that it
left.
"""

import json
import os
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mpbench.commands import run as command
from tests.plugins.documented import write
from tests.tools.command.test_command import documented

FOLDER = Path("/tmp/native")
os.environ["XDG_CACHE_HOME"] = str(FOLDER / "cache")


def run(file: Path) -> dict[str, Any]:
    """`mpbench run --backend native` of an experiment, with and without consent."""
    out = FOLDER / f"out-{file.stem}"
    words = [str(file), "--backend", "native", "--out", str(out)]
    refused = CliRunner().invoke(command.command, words)
    done = CliRunner().invoke(command.command, [*words, "--trust-plugins"])
    rows = [json.loads(row.read_text()) for row in out.glob("runs/*/row.json")]
    return {
        "refused": repr(refused.exception),
        "status": done.exit_code,
        "said": done.output + repr(done.exception or ""),
        "rows": {row["case"]: row for row in rows},
    }


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / "program.yaml"
    program.write_text(documented())
    plugins = write(FOLDER / "own")
    found = {"program": run(program), "plugins": run(plugins)}
    Path("said.json").write_text(json.dumps(found, indent=1))
