"""mpbench plan and mpbench schema, as a user calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mpbench.backends import registry
from mpbench.commands import plan, schema
from mpbench.errors import UserError
from tests.spec.files import TEXT


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "small.yaml"
    path.write_text(TEXT)
    return str(path)


def test_plan_lists_runs_and_times(file: str) -> None:
    result = CliRunner().invoke(plan.command, [file, "--backend", "fake", "-j", "2"])
    assert result.exit_code == 0, result.output
    head, *rows, summary, asked, draws = result.stdout.splitlines()
    assert asked == (
        "Question: do tcp1 and tcp2 have higher goodput than mptcp? ('compare' asks"
        " another)"
    )
    assert "Nothing in these runs draws from the seed" in draws
    assert head.split()[:3] == ["run", "point", "case"]
    assert len(rows) == 12
    assert rows[0].split()[1:3] == ["0", "mptcp"]
    assert len(rows[0].split()[0]) == 16
    assert len({len(row) for row in (head, *rows)}) == 1, "columns are aligned"
    assert summary.startswith("small: 12 runs (4 points x 3 cases x 1 repetition)")
    assert "6 min 00 s of virtual time" in summary
    assert summary.endswith("with 2 at a time")


def test_plan_as_json(file: str) -> None:
    arguments = [file, "--backend", "fake", "--json"]
    document = json.loads(CliRunner().invoke(plan.command, arguments).stdout)
    assert document["name"] == "small"
    assert document["estimate"]["virtual_s"] == 360
    assert len(document["runs"]) == 12
    assert set(document["runs"][0]) == {
        "id",
        "point",
        "case",
        "repetition",
        "factors",
        "job",
        "estimate",
    }


def test_plan_without_a_kernel_says_that_ids_will_differ(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unready:
        def identity(self) -> dict[str, str]:
            raise UserError("no guest kernel; `mpbench kernel build` makes one")

    monkeypatch.setattr(registry, "create", lambda name, in_qemu: Unready())
    result = CliRunner().invoke(plan.command, [file])
    assert result.exit_code == 0
    assert "the ids will change: no guest kernel" in result.stderr
    assert len(result.stdout.splitlines()) == 16


def test_plan_of_a_bad_file_is_a_user_error(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(TEXT.replace("lia", "lai"))
    result = CliRunner().invoke(plan.command, [str(bad)])
    assert isinstance(result.exception, UserError)
    assert f"{bad}:9: cases.mptcp.congestion_control: unknown" in str(result.exception)


def test_schema_is_printed_or_written(tmp_path: Path) -> None:
    printed = CliRunner().invoke(schema.command, []).stdout
    path = tmp_path / "schema.json"
    result = CliRunner().invoke(schema.command, ["--out", str(path)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert path.read_text() == printed
    assert json.loads(printed)["title"] == "mpbench experiment"
    nowhere = ["--out", str(tmp_path / "none" / "schema.json")]
    error = CliRunner().invoke(schema.command, nowhere).exception
    assert isinstance(error, UserError)
    assert "give another file by --out" in str(error)


@pytest.mark.parametrize("module", ["plan", "schema"])
def test_help_imports_nothing_slow(module: str) -> None:
    code = (
        f"import sys, mpbench.commands.{module}; "
        "slow = {'pint', 'pydantic', 'numpy', 'pandas', 'scipy', 'yaml', 'rich'};"
        "sys.exit(str(slow & set(sys.modules)) if slow & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_topologies_need_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import topologies; "
        "new = {n.partition('.')[0] for n in set(sys.modules) - before}; "
        "sys.exit(str(foreign) if (foreign := new - sys.stdlib_module_names "
        "- {'topologies'}) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
