"""Bad input, as a user meets it: one line that says what, where and what would work."""

import json
from pathlib import Path

import pytest

from tests.calls import Command, shell
from tests.spec.files import TEXT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
FAULTS = {
    "syntax": (
        "cases:",
        "cases: {",
        "10: not YAML: while parsing a flow mapping that begins on line 8, ",
    ),
    "unknown key": (
        "name: small",
        "name: small\nsed: 1",
        "2: sed: unknown key; did you mean 'seed'?",
    ),
    "unknown value": (
        "points: 4",
        "points: 4\n  method: wps",
        "5: design.method: unknown design method 'wps'; did you mean 'wsp'? (known: ",
    ),
    "wrong dimension": (
        "25 ms",
        "25 Mbit/s",
        "7: design.factors.path2.delay.max: '25 Mbit/s' is a data rate; a time is "
        "needed, such as '10 ms'",
    ),
    "min above max": (
        "min: 1 ms",
        "min: 30 ms",
        "7: design.factors.path2.delay.min: min 30 ms is above max 25 ms; exchange ",
    ),
    "no such path": (
        "path: 2",
        "path: 3",
        "11: cases.tcp2.path: there is no path 3; two_path has paths 1, 2",
    ),
    "unknown controller": (
        "control: lia",
        "control: lai",
        "9: cases.mptcp.congestion_control: unknown congestion control 'lai'; did you "
        "mean 'lia'? (known: balia, bbr, cmpbbr, coupled, cubic, dlia, ewtcp, lia, "
        "lia_rfc6356, mpcc, olia, reno, semicoupled, vegas, wvegas)",
    ),
    "unknown scheduler": (
        "control: lia",
        "control: lia, scheduler: quick",
        "9: cases.mptcp.scheduler: unknown scheduler 'quick'; known: blest, "
        "daps, default, ecf, lowrtt, otias, paced, redundant, roundrobin, stms, "
        "weighted",
    ),
    "a controller's parameter out of range": (
        "control: lia",
        "control: {name: ewtcp, a: 5}",
        "9: cases.mptcp.congestion_control.a: 5 is out of range; it is 0.001 to 4",
    ),
    "a scheduler's parameter out of range": (
        "control: lia",
        "control: lia, scheduler: {name: roundrobin, segments: 0}",
        "9: cases.mptcp.scheduler.segments: 0 is out of range; it is 1 to 1000",
    ),
    "phases that overlap": (
        "name: small",
        "name: small\nphases: {a: 0 s..20 s, b: 10 s..30 s}",
        "2: phases.b: starts at 10 s, within a, which ends at 20 s",
    ),
    "a phase after the run": (
        "name: small",
        "name: small\nphases: {a: 0 s..40 s}",
        "2: phases.a: ends at 40 s, but the traffic at 30 s",
    ),
    "a phase before the run": (
        "name: small",
        "name: small\nphases: {a: -5 s..20 s}",
        "2: phases.a: -5 s is not within 0 to ",
    ),
    "a scheduler without subflows to choose from": (
        "control: reno, path: 1}",
        "control: reno, path: 1, scheduler: redundant}",
        "10: cases.tcp1.scheduler: ",
    ),
    "no points": (
        "points: 4",
        "points: 0",
        "4: design.points: 0 is below 1, the least",
    ),
    "too many points": (
        "points: 4",
        "points: 20000",
        "4: design.points: 20000 is more than the 10000 candidates allow; ask",
    ),
}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("f.yaml")
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("verb", ["run", "plan"])
def test_a_fault_of_the_file(
    file: Path, command: Command, fault: str, verb: str
) -> None:
    old, new, message = FAULTS[fault]
    assert old in TEXT
    file.write_text(TEXT.replace(old, new))
    done = command(verb, file, "--backend", "fake")
    assert done.status == 2
    assert done.err.startswith(f"mpbench: f.yaml:{message}")
    assert done.err.count("\n") == 1
    assert not Path("results").exists()


@pytest.mark.parametrize(
    "out, message",
    [
        ("f.yaml", "is a file, not a folder; give another folder with --out"),
        ("f.yaml/deeper", "is a file, not a folder; give another folder with --out"),
        ("/proc/nothing", "no folder can be made there; give another with --out"),
        (".", "not empty and not a results folder (holds f.yaml); give another"),
    ],
)
def test_a_results_folder_that_cannot_be(
    file: Path, command: Command, out: str, message: str
) -> None:
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1


VERBS = [
    ["run", "f.yaml", "--backend", "fake", "--out"],
    ["run", "f.yaml", "--backend", "fake", "--dry-run", "--out"],
    *(["report"], ["analyse"], ["verify"]),
]


@pytest.mark.parametrize("words", VERBS, ids=lambda words: "-".join(words[:4:3]))
def test_results_of_another_version(
    file: Path, command: Command, words: list[str]
) -> None:
    made = command("run", file, "--backend", "fake", "--out", "out", "--limit", 1)
    assert made.status == 0
    head = Path("out/campaign.json")
    head.write_text(json.dumps(json.loads(head.read_text()) | {"format": 9}))
    done = command(*words, "out")
    assert done.status == 2
    assert "out: results of format 9, made by mpbench" in done.err
    assert "use that version" in done.err
    assert done.err.count("\n") == 1


def test_no_cpu_to_pin_to(
    file: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(process: int, cpus: set[int]) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr("os.sched_setaffinity", refused)
    done = command("run", file, "--backend", "fake")
    assert done.status == 2
    assert "no CPU to pin a run to" in done.err and "start mpbench outside" in done.err
    assert not Path("results").exists()


def test_no_space_left(
    file: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mpbench.store.disk_space.SPACE_NEEDED_BYTES", 2**62)
    done = command("run", file, "--backend", "fake")
    assert done.status == 2
    assert "results/small: no space left" in done.err
    assert "finished runs are kept" in done.err
    assert done.err.count("\n") == 1


def test_a_file_that_is_not_there(command: Command, file: Path) -> None:
    done = command("run", "g.yaml")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("mpbench: g.yaml: no such file")


def test_a_dry_run_refuses_what_a_run_refuses(file: Path, command: Command) -> None:
    words = ("--backend", "fake", "--out", "out")
    assert command("run", file, *words, "--limit", 1).status == 0
    file.write_text(TEXT.replace("name: small", "name: other"))
    for more in ((), ("--dry-run",)):
        done = command("run", file, *words, *more)
        assert done.status == 2
        assert "out: holds experiment 'small', not 'other'" in done.err


@pytest.mark.parametrize("out", ["a:b/o", "ü", "100%"])
def test_a_folder_of_any_name_in_any_locale(file: Path, out: str) -> None:
    """The C locale, without Python's UTF-8 mode, takes a name for bytes."""
    file.write_text(TEXT + "# ü\n")
    line = (
        f"mpbench run f.yaml --backend fake --limit 2 --out '{out}' && "
        f"mpbench report '{out}' --format md && mpbench verify --stored '{out}'"
    )
    done = shell(line, LC_ALL="C", PYTHONUTF8="0", PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Table: {out}/runs.csv" in done.stdout
    assert Path(out, "runs.parquet").exists()
