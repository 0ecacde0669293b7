"""Plug-ins of strangers: opening their results runs nothing on this machine."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from jobs import bare
from jobs.plugins import KernelCode
from mpbench.backends.fake import FakeBackend
from mpbench.errors import UserError
from mpbench.kernel import linking
from mpbench.kernel.cache import Kernel
from mpbench.store.layout import Results
from tests.calls import Command
from tests.plugins.documented import write

from .folders import first_run, forge

pytestmark = pytest.mark.slow

EVIL = "import pathlib\npathlib.Path({mark!r}).write_text('was here')\n"


@pytest.fixture
def made(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of an experiment with plug-ins, whose files are gone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file, out = write(tmp_path / "home"), tmp_path / "results"
    words = ("run", file, "--backend", "fake", "--out", out, "--trust-plugins")
    done = command(*words)
    assert done.status == 0, done.err
    return out


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """A file that exists if a stranger's code has run here."""
    path = tmp_path / "mark"
    yield path
    assert not path.exists()


def test_code_in_results_never_runs_here(
    made: Path, mark: Path, command: Command
) -> None:
    evil = EVIL.format(mark=str(mark))
    run = first_run(made)
    job = json.loads(run.job.read_text())
    job["traffic"][0]["code"] = job["metrics"]["spread"]["code"] = evil
    forge(run, "job.json", json.dumps(job).encode())
    stored = yaml.safe_load((made / "experiment.yaml").read_text())
    for kind in ("tools", "metrics"):
        for each in stored["plugins"]["stored"][kind].values():
            each["code"] = evil
    (made / "experiment.yaml").write_text(yaml.safe_dump(stored, sort_keys=False))
    for verb in ("report", "analyse", "dashboard", "cost"):
        page = str(made.parent / "page.html")
        more = ["--out", page] if verb == "dashboard" else []
        done = command(verb, made, *more)
        assert "Traceback" not in done.out + done.err
    done = command("verify", made)
    assert done.status == 2 and "not the job that gave the run its id" in done.err


@pytest.mark.parametrize("name", ["evil.py", "../evil.py"])
def test_results_that_name_files_are_not_followed(
    made: Path, mark: Path, command: Command, name: str
) -> None:
    (made / name).write_text(EVIL.format(mark=str(mark)))
    text = (made / "experiment.yaml").read_text()
    values = yaml.safe_load(text)
    values["plugins"] = {"topologies": name}
    values["topology"] = "evil"
    (made / "experiment.yaml").write_text(yaml.safe_dump(values))
    (made / "mpbench.toml").write_text(f'[plugins]\ntopologies = ["{name}"]\n')
    for verb in ("report", "analyse"):
        done = command(verb, made)
        assert done.status == 0
    assert (
        "results hold their plug-ins and name no files" in command("report", made).err
    )


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ({"numbers": {"sent": "<script>"}}, "'sent' is no number"),
        ({"numbers": {"sent": 1e999}}, "Infinity is not a number"),
        ({"numbers": {"sent": 1.0, "id": 2.0}}, "not the numbers of spread"),
        ({"error": "x\n\x1b[2J" * 1000}, "x"),
        ([], "a list where an object belongs"),
    ],
)
def test_numbers_are_data(
    made: Path, command: Command, numbers: object, reason: str
) -> None:
    run = first_run(made)
    forge(run, "artefacts/metric-spread.json", json.dumps(numbers).encode())
    done = command("analyse", made)
    assert done.status == 0 and "is failed" in done.out
    row = json.loads(run.row.read_text())
    assert reason in row["reason"] and len(row["reason"]) < 500
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("nodes", [{"name": "x; reboot"}], "wiring: expected the keys"),
        ("nodes", "x" * 10, "wiring: nodes: not a list"),
        ("surprise", 1, "wiring: expected the keys"),
    ],
)
def test_a_wiring_that_is_none(
    made: Path,
    command: Command,
    key: str,
    value: object,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executed: list[object] = []
    monkeypatch.setattr(
        FakeBackend, "execute", lambda self, *given: executed.append(given)
    )
    run = first_run(made)
    job = json.loads(run.job.read_text())
    wiring: dict[str, object] = {"nodes": [], "wires": [], "links": [], "ports": {}}
    job["network"]["wiring"] = {**wiring, key: value}
    forge(run, "job.json", json.dumps(job).encode())
    done = command("verify", made)
    assert done.status == 2 and reason in done.err and not executed
    assert Results(made).campaign.exists()


def test_a_line_of_a_wiring_that_is_no_route(made: Path, command: Command) -> None:
    run = first_run(made)
    job = json.loads(run.job.read_text())
    node = {"name": "phone", "router": False, "offloads": False}
    node["configuration"] = ["link set dev lo down\naddr flush"]
    wiring = {"nodes": [node], "wires": [], "links": [], "ports": {}}
    job["network"]["wiring"] = wiring
    forge(run, "job.json", json.dumps(job).encode())
    done = command("verify", made)
    assert done.status == 2 and "is not a line such as 'route add" in done.err


def test_a_strangers_controller_is_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr(subprocess, "run", refuse)
    kernel = Kernel(tmp_path / "linux", "key", tmp_path, {"linux_hash": "0" * 64})
    own = {"evil": KernelCode(code='#include "/etc/passwd"\n')}
    job = replace(bare(1, 1.0), kernel=own)
    with pytest.raises(UserError, match=r"evil: code in C .* --trust-plugins"):
        linking.of_job(kernel, job, may_compile=False)


@pytest.mark.parametrize(("kind", "name"), [("controllers", "lia"), ("tools", "curl")])
def test_stored_plugins_shadow_nothing(
    made: Path, command: Command, kind: str, name: str
) -> None:
    stored = yaml.safe_load((made / "experiment.yaml").read_text())
    own = stored["plugins"]["stored"].setdefault(kind, {})
    own[name] = {"code": "x"}
    (made / "experiment.yaml").write_text(yaml.safe_dump(stored, sort_keys=False))
    done = command("report", made)
    assert f"'{name}' is the name of one of mpbench's; rename it" in done.err


def test_a_job_replaces_no_controller_of_mpbench(made: Path, command: Command) -> None:
    run = first_run(made)
    job = json.loads(run.job.read_text())
    job["kernel"] = {"lia": {"code": "x"}}
    forge(run, "job.json", json.dumps(job).encode())
    done = command("verify", made)
    assert done.status == 2 and "'lia' is the name of one of mpbench's" in done.err
