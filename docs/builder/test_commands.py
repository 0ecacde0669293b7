"""Commands and files that pages name are there."""

import re
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from docs.builder.measured import DOCS, ROOT
from mpbench import cli

PAGES = [
    *sorted(DOCS.glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "results/README.md",
    ROOT / "studies/README.md",
    *sorted((ROOT / ".github").rglob("*.md")),
]
FILE = re.compile(
    r"(?<![\w/.-])(?:experiments|tests|validation|benchmarks|studies|kernel|topologies|"
    r"analysis|mpbench|jobs|tools)/[\w./-]*\.(?:py|yaml|c|h|md)\b"
)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def code(page: Path) -> list[str]:
    """The lines of a page's code blocks without a language, and its inline code."""
    text = re.sub(
        r"^```[a-z]+\n.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S
    )
    blocks = re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    return [*blocks, *re.findall(r"`([^`\n]+)`", text)]


def at_start(words: str, texts: list[str]) -> list[re.Match[str]]:
    return [m for text in texts if (m := re.match(words, text))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_sub_command_and_option_is_there(page: Path) -> None:
    context = click.Context(cli.group)
    for found in at_start(r"(?:\S*/)?mpbench ([a-z]\S*)(.*)", code(page)):
        command = cli.group.get_command(context, found[1])
        assert command, found[0]
        rest = found[2].split("  ")[0]
        word = rest.split()[0] if rest.split() else ""
        if isinstance(command, click.Group) and word in command.commands:
            command = command.commands[word]
        known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
        known |= {"--help"}
        for option in OPTION.findall(rest):
            assert option in known, found[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_target_of_make_is_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for found in at_start(r"make ([a-z][\w-]*)", code(page)):
        assert re.search(rf"^{found[1]}\b.*:", makefile, re.MULTILINE), found[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_is_there(page: Path) -> None:
    for found in at_start(r"python3? -m ([\w.]+)", code(page)):
        if found[1] != "venv":
            assert find_spec(found[1]), found[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_is_there(page: Path) -> None:
    """But those whose text the page shows, or that the page tells a reader to make."""
    shown = set(re.findall(r"^`([\w./-]+)`:$", page.read_text("utf-8"), re.MULTILINE))
    for name in [name for text in code(page) for name in FILE.findall(text)]:
        known = name in shown or "NAME" in name or name.endswith("/three.py")
        assert known or (ROOT / name).exists(), name
