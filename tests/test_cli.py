"""The command itself: errors, help, completion, pipes."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

import mpbench
from mpbench import cli
from mpbench.errors import UserError
from tests.calls import Command, shell

CONTEXT = click.Context(cli.group)
NAMES = cli.group.list_commands(CONTEXT)


def commands(name: str) -> list[click.Command]:
    """A sub-command, and those below it."""
    found = cli.group.get_command(CONTEXT, name)
    assert found is not None
    below = found.commands.values() if isinstance(found, click.Group) else ()
    return [found, *below]


def test_what_a_user_can_put_right_is_one_line(command: Command) -> None:
    done = command("report", "nowhere")
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("mpbench: nowhere: no campaign.json")
    assert done.err.count("\n") == 1


def test_an_error_of_ours_keeps_its_traceback(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli.group, "main", broken)
    with pytest.raises(ZeroDivisionError):
        command("schema")


@pytest.mark.parametrize(
    "error, status, said",
    [
        (UserError("f.yaml:1: no"), 2, "mpbench: f.yaml:1: no\n"),
        (click.exceptions.Abort(), 130, "mpbench: stopped\n"),
    ],
)
def test_how_the_command_ends(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    said: str,
) -> None:
    def ending(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli.group, "main", ending)
    done = command("schema")
    assert (done.status, done.err) == (status, said)


@pytest.mark.parametrize(
    "words, hint",
    [
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?"),
        (["raport"], "Did you mean 'report'?"),
        (["frobnicate"], "No such command 'frobnicate'."),
        (["run", "--dryrun", "x"], "Did you mean '--dry-run'?"),
        (["run"], "Missing argument 'FILE'"),
    ],
)
def test_a_slip_is_told_what_was_meant(
    command: Command, words: list[str], hint: str
) -> None:
    done = command(*words)
    assert done.status == 2
    assert hint in done.err
    assert "Traceback" not in done.err


def test_help_lists_every_command(command: Command) -> None:
    done = command("--help")
    assert done.status == 0
    assert {"run", "plan", "design", "verify", "analyse", "report"} <= set(NAMES)
    for name in NAMES:
        assert f"\n  {name} " in done.out
    assert 'eval "$(_MPBENCH_COMPLETE=bash_source mpbench)"' in done.out
    assert mpbench.__version__ in command("--version").out


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_has_its_help(name: str) -> None:
    for each in commands(name):
        assert each.help, each.name
        for option in each.params:
            if isinstance(option, click.Option):
                assert option.help, f"{each.name} {option.opts}"


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_completion_is_printed(kind: str) -> None:
    done = shell("mpbench", _MPBENCH_COMPLETE=f"{kind}_source")
    assert "_MPBENCH_COMPLETE" in done.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line, word, offered",
    [("mpbench re", "1", "plain,report"), ("mpbench run --ba", "2", "plain,--backend")],
)
def test_completion_offers_names(line: str, word: str, offered: str) -> None:
    done = shell(
        "mpbench", _MPBENCH_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=word
    )
    assert done.stdout.splitlines() == [offered]


def test_a_reader_that_goes_away_is_no_matter() -> None:
    done = shell("mpbench schema | head -1")
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_a_reader_that_was_never_there() -> None:
    done = shell("mpbench schema | true")
    assert done.stderr == ""
    assert done.returncode in (0, 1)


def test_help_loads_nothing_slow() -> None:
    code = (
        "import sys, mpbench.cli as c\n"
        "c.group.main(['--help'], standalone_mode=False)\n"
        "slow = {'pint', 'pydantic', 'numpy', 'pandas', 'scipy', 'yaml', 'rich'}\n"
        "sys.exit(', '.join(sorted(slow & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_usual_units_of_expressions_load_nothing_slow() -> None:
    code = (
        "import sys\n"
        "from mpbench.spec import expressions\n"
        "for text in ('= 5 s', '= 1 Mbit/s * 2', '= 3 kB', '= 4 packets', '= 5 %'):\n"
        "    expressions.parse(text)\n"
        "sys.exit('pint' if 'pint' in sys.modules else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "slow"),
    [
        (("plan",), {"scipy", "pandas", "pint", "matplotlib", "pyarrow"}),
        (("run", "--backend", "fake"), {"scipy", "pint", "matplotlib"}),
    ],
)
def test_a_short_command_loads_nothing_slow(
    command: Command, arguments: tuple[str, ...], slow: set[str], tmp_path: Path
) -> None:
    """With the design in the cache and nothing left to run."""
    file = Path(__file__).parents[1] / "experiments/quickstart.yaml"
    backend = ("--out", "out") if arguments[0] == "run" else ("--backend", "fake")
    words = [arguments[0], str(file), *arguments[1:], *backend]
    code = (
        "import sys, mpbench.cli as c\n"
        f"c.group.main({words!r}, standalone_mode=False)\n"
        f"sys.exit(', '.join(sorted({slow!r} & set(sys.modules))) or 0)\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
        )
    assert done.returncode == 0, done.stderr[-500:]
