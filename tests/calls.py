"""The command as a shell calls it, in this process or in one of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from mpbench import cli


@dataclass(frozen=True)
class Called:
    """Exit status, and what was said where."""

    status: int
    out: str
    err: str


class Command:
    """`command("run", "file.yaml")` in this process: fast, without importing again."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: object) -> Called:
        words = ["mpbench", *map(str, arguments)]
        self._monkeypatch.setattr(sys, "argv", words)
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = self._capsys.readouterr()
        code = left.value.code
        return Called(code if isinstance(code, int) else 0, said.out, said.err)


def shell(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A line of bash in which `mpbench` is the command of this interpreter."""
    function = f'mpbench() {{ "{sys.executable}" -m mpbench.cli "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail\n{function}{line}"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
