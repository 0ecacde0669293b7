"""`mpbench run` from the command line, with a spec and a plan of the test's."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import click
import pytest
from click.testing import CliRunner, Result

from mpbench import experiment_files
from mpbench.backends.fake_script import ENVIRONMENT
from mpbench.commands import run as command_file
from mpbench.commands import verify as verify_file
from mpbench.errors import UserError
from mpbench.plan import advice, feasible

from . import plans


@pytest.fixture(autouse=True)
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages that the command calls, each as small as can be."""
    plan, rows, table = map(
        ModuleType, ("mpbench.plan", "analysis.run.row", "analysis.campaign.table")
    )
    plan.new_plan = lambda spec, build: plans.plan(2, build["fake"])  # type: ignore
    vars(plan).update(advice=advice, feasible=feasible)
    rows.row = plans.measure  # type: ignore
    table.build = plans.tabulate  # type: ignore
    for module in (plan, rows, table):
        monkeypatch.setitem(sys.modules, module.__name__, module)

    def load(path: Path, *given: object, points: object = None) -> SimpleNamespace:
        return SimpleNamespace(
            name="small", text=path.read_text(), in_qemu=False, cases={}
        )

    monkeypatch.setattr(experiment_files, "load", load)
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text("name: small\n")


def run(*arguments: str) -> Result:
    words = ["small.yaml", "--backend", "fake", *arguments]
    return CliRunner().invoke(command_file.command, words)


def test_a_campaign_from_the_command_line() -> None:
    done = run("--limit", "2", "-j", "1")
    assert done.exit_code == 0, done.output
    assert "4 runs of the plan not yet done" in done.output
    done = run()
    assert done.exit_code == 0, done.output
    assert "2 finished (2 ok), 4 to do now" in done.output
    assert Path("results/small/experiment.yaml").read_text() == "name: small\n"
    assert Path("results/small/runs.parquet").exists()


def test_a_dry_run_tells_and_writes_nothing() -> None:
    done = run("--dry-run", "--out", "there")
    assert done.exit_code == 0, done.output
    assert done.output.count("to do") == 7
    assert "in there: about 3 min 00 s of virtual time, " in done.output
    assert not Path("there").exists()
    run("--out", "there", "--only", "tcp1")
    done = run("--dry-run", "--out", "there", "--only", "tcp1", "--only", "tcp2")
    states = [line.split()[-1] for line in done.output.splitlines()[1:7]]
    assert states == ["now", "ok", "do", "now", "ok", "do"]


def test_a_failing_run_shows_in_the_exit_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(ENVIRONMENT, '{"do": "die", "when": "transport.path=2"}')
    done = run()
    assert done.exit_code == 1
    assert "killed by signal 9" in done.output
    monkeypatch.delenv(ENVIRONMENT)
    assert run("--retry-failed").exit_code == 0


def test_what_the_user_can_put_right_is_a_user_error() -> None:
    done = run("--only", "mptpc")
    assert isinstance(done.exception, UserError)
    done = run("-j", "100000")
    assert isinstance(done.exception, UserError)


@pytest.mark.parametrize("file", [command_file, verify_file])
def test_every_option_has_its_help(file: ModuleType) -> None:
    options = [each for each in file.command.params if isinstance(each, click.Option)]
    assert options
    assert all(option.help for option in options)
