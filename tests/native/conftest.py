"""A guest without time travel: a machine with netem, on which native runs happen."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mpbench.backends import boot as booting
from mpbench.backends import roots
from mpbench.errors import UserError

LIMIT_S = 200
REPOSITORY = Path(__file__).parents[2]


def kernel() -> Path:
    """The guest kernel; MPBENCH_TEST_KERNEL names another."""
    named = os.environ.get("MPBENCH_TEST_KERNEL")
    if named:
        return Path(named)
    find = getattr(importlib.import_module("mpbench.kernel"), "find", None)
    if find is None:
        pytest.skip("no guest kernel; MPBENCH_TEST_KERNEL can name one")
    try:
        return Path(find(config="guest").path)
    except UserError as error:
        pytest.skip(f"no guest kernel: {error}")


def boot(folder: Path, argv: list[str], limit_s: int = LIMIT_S) -> str:
    """Boot a guest in real time that runs `argv` in `folder`; its console."""
    machine = booting.Machine(virtual_time=False)
    root = roots.host()
    booting.write(booting.Orders(argv, limit_s), folder, root)
    done = subprocess.run(
        machine.command(kernel(), None, root, (REPOSITORY, Path(sys.prefix))),
        cwd=folder,
        env=booting.environment(1),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=limit_s + 60,
    )
    return done.stdout.decode(errors="replace")


@pytest.fixture(scope="session")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Findings of `tests.native.inside` in the guest, scenario by scenario."""
    folder = tmp_path_factory.mktemp("native")
    console = boot(folder, [sys.executable, "-m", "tests.native.inside"])
    result = folder / "said.json"
    assert result.exists(), console[-4000:]
    return dict(json.loads(result.read_text()))


def assert_sound(rows: Iterable[Mapping[str, Any]], status: int) -> None:
    """All rows are valid, but for what the load of this machine has done to them."""
    reasons = [reason for row in rows for reason in row["reason"].split("; ") if reason]
    assert all("the machine was too busy" in reason for reason in reasons), reasons
    assert status == (1 if reasons else 0)
