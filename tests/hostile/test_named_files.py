"""No file that an experiment names leads a reader to this user's own files.

A folder from a stranger can hold links. Each is refused, unless the experiment file
itself says where it leads. The file of a results folder opens no other file at all.
"""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.store.layout import Results
from tests.calls import Command

CASES = "{a: {protocol: tcp, congestion_control: cubic, path: 1}}"
BULK = "[{tool: iperf3, from: client, to: server, duration: 2 s}]"
HEAD = "name: e\ntopology: two_path\n"
PLAIN = f"cases: {CASES}\ntraffic: {BULK}\n"
FLOWS = "tool: flows, from: client, to: server, duration: 2 s, arrivals: {rate: 10/s}"
DOORS = {
    "include": f"include: NAME\n{HEAD}{PLAIN}",
    "cdf": f"{HEAD}cases: {CASES}\ntraffic: [{{{FLOWS}, size: {{cdf: NAME}}}}]\n",
    "har": f"{HEAD}cases: {CASES}\ntraffic: [{{tool: page, from: client, to: server, "
    "objects: {har: NAME}}]\n",
    "trace": f"{HEAD}{PLAIN}changes: {{path1: {{trace: NAME}}}}\n",
    "patches": f"{HEAD}{PLAIN}kernels: {{own: {{patches: NAME}}}}\n",
    "pattern": f"{HEAD}{PLAIN}kernels: {{own: {{patches: [here/*]}}}}\n",
    "programs": f"{HEAD}{PLAIN}plugins: {{programs: {{own: NAME}}}}\n",
    "controllers": f"{HEAD}{PLAIN}plugins: {{controllers: NAME}}\n",
}
LINK = "a link that leads out of the experiment's folder; name the file"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A stranger's folder with a link to a file, and one to a folder, of this user."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "own.c").write_text("SECRET\n")
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / "own.c").symlink_to(mine / "own.c")
    (folder / "here").symlink_to(mine)
    return folder


def fault(file: Path) -> str:
    with pytest.raises(UserError) as told:
        make_plan(load(file), {})
    return str(told.value)


@pytest.mark.parametrize("name", ["own.c", "here/own.c"])
@pytest.mark.parametrize("door", DOORS)
def test_a_link_that_leads_out_is_refused(home: Path, door: str, name: str) -> None:
    file = home / "e.yaml"
    file.write_text(DOORS[door].replace("NAME", name))
    assert LINK in fault(file) and "SECRET" not in fault(file)


@pytest.mark.parametrize("door", sorted({*DOORS} - {"pattern"}))
def test_a_name_that_leads_out_says_so(home: Path, door: str) -> None:
    file = home / "e.yaml"
    file.write_text(DOORS[door].replace("NAME", "../mine/own.c"))
    if door == "controllers":
        assert "registers nothing" in fault(file)
    elif door == "patches":
        assert load(file).kernels
    else:
        assert LINK not in fault(file)


@pytest.mark.parametrize("door", ["include", "cdf", "har", "patches"])
def test_results_open_no_other_file(
    home: Path, tmp_path: Path, door: str, command: Command
) -> None:
    (home / "e.yaml").write_text(HEAD + PLAIN)
    out = tmp_path / "results"
    words = ("run", home / "e.yaml", "--backend", "fake", "--out", out)
    assert command(*words).status == 0
    named = DOORS[door].replace("NAME", str(home.parent / "mine/own.c"))
    Results(out).experiment.write_text(named)
    done = command("report", out)
    assert done.status == 0
    assert "no other file is read" in done.err and "SECRET" not in done.err


@pytest.mark.parametrize("name", ["{mine}/own.csv", "../mine/own.csv", "here/own.csv"])
def test_published_values_of_results_lie_nowhere_else(
    home: Path, tmp_path: Path, name: str, command: Command
) -> None:
    """A link and a path out of the folders above the results are refused; only the
    person who runs the command names such a file."""
    (home / "e.yaml").write_text(HEAD + PLAIN)
    out = home / "results"
    words = ("run", home / "e.yaml", "--backend", "fake", "--out", out)
    assert command(*words).status == 0
    (tmp_path / "mine/own.csv").write_text("SECRET,1\n")
    expected = f"expect: {name.format(mine=tmp_path / 'mine')}\n"
    Results(out).experiment.write_text(HEAD + PLAIN + expected)
    done = command("report", out, "--format", "md")
    assert done.status == 2 and "--expect" in done.err
    assert "SECRET" not in done.err and "columns must be" not in done.err


def test_published_values_are_not_looked_for_from_the_root(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.yaml").write_text(HEAD + PLAIN)
    out = tmp_path / "results"
    words = ("run", tmp_path / "e.yaml", "--backend", "fake", "--out", out)
    assert command(*words).status == 0
    Results(out).experiment.write_text(f"{HEAD}{PLAIN}expect: etc/passwd\n")
    done = command("report", out, "--format", "md")
    assert done.status == 2 and "etc/passwd is not there" in done.err
