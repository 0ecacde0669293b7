"""The Makefile's recipes, without running them."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TARGETS = re.findall(r"^# make ([a-z-]+)", (ROOT / "Makefile").read_text(), re.M)


def make(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["make", "--always-make", *words], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_recipe_is_a_script_that_bash_can_parse(target: str) -> None:
    """With -n, bash reads a recipe and does not execute it."""
    done = make(".SHELLFLAGS=-n -c", target)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("target", TARGETS)
def test_the_announcement_of_a_step_is_a_command_by_itself(target: str) -> None:
    """An apostrophe in its text must not quote the commands that follow."""
    lines = make("--dry-run", target).stdout.splitlines()
    for line in lines:
        if line.startswith(r"printf '\n==>"):
            command, _, what, time, *more = shlex.split(line)
            assert (command, more) == ("printf", ["SECONDS=0"])
            assert what and time.endswith(";")
