"""Any program as traffic: what is read of its output, and what a file may ask for."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.run import patterns
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.job_format import load as check
from tests.calls import Command
from tools.command import reader
from tools.command.fake import example
from tools.command.processes import filled

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "keys.md"
PING = "time=(?P<time>[0-9.]+) ms"
LINES = ["64 bytes: time=50.1 ms", "noise", "64 bytes: time=40.3 ms", "time=? ms"]
HEAD = """\
name: own
topology: two_path
cases: {reno: {protocol: tcp, congestion_control: reno, path: 1}}
"""


def documented() -> str:
    """The example in the documentation."""
    section = PAGE.read_text().split("### Programs of your own", 1)[1]
    found = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1]


def text(**changes: Any) -> str:
    """An experiment with one command; a change of None takes the key away."""
    entry = {
        "tool": "command",
        "from": "client",
        "to": "server",
        "duration": "5 s",
        "client": ["ping", "{address}"],
        "numbers": [{"pattern": PING, "units": {"time": "ms"}}],
    } | changes
    entry = {key: value for key, value in entry.items() if value is not None}
    return HEAD + yaml.safe_dump({"traffic": [entry]}, sort_keys=False)


def fault(**changes: Any) -> str:
    with pytest.raises(UserError) as refused:
        loads(text(**changes), "f.yaml")
    message = str(refused.value)
    assert message.count("\n") == 0 and re.match(r"f\.yaml:\d+: traffic\[0\]", message)
    return message


@pytest.mark.parametrize(
    ("take", "number"),
    [
        ("last", 40.3),
        ("first", 50.1),
        ("mean", 45.2),
        ("sum", 90.4),
        ("least", 40.3),
        ("greatest", 50.1),
    ],
)
def test_numbers_of_several_lines(take: str, number: float) -> None:
    assert reader.found(LINES, PING, take) == {"time": pytest.approx(number)}


def test_a_number_may_have_commas_and_may_be_missing() -> None:
    found = reader.found(["n=1,234 of x"], "n=(?P<n>[0-9,]+) of (?P<m>[a-z])")
    assert found == {"n": 1234.0, "m": None}


@pytest.mark.parametrize("pattern", ["(a*)*b(?P<x>[0-9])", "(.*.*.*.*=(?P<x>[0-9]))z"])
def test_no_pattern_takes_long(pattern: str) -> None:
    began_s = time.monotonic()
    assert reader.found(["a" * 10_000 + "="] * 20, pattern) == {"x": None}
    assert time.monotonic() - began_s < 5


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?P<x>[0-9", "not a pattern: missing ]"),
        ("(?=a)(?P<x>b)", "not a pattern: invalid perl operator"),
        (r"(?P<x>a)\1", "not a pattern: invalid escape sequence"),
        ("[0-9]+", "no named group"),
        ("(?P<Time>[0-9]+)", "use up to 30 small letters"),
        ("(?P<x>a)(?P<x>b)", "two groups are called 'x'"),
        ("(?P<x>((a{100}){100}){100})", "not a pattern: invalid repetition size"),
        ("(?P<x>a)" + "b" * 500, "at most 500 work"),
    ],
)
def test_a_bad_pattern_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        patterns.compiled(pattern)
    assert reason in fault(numbers=[{"pattern": pattern, "units": {"x": "ms"}}])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"client": ["/usr/bin/ping"]}, "not the name of a program"),
        ({"client": ["ping; reboot"]}, "not the name of a program"),
        ({"client": "ping server"}, "expected a list"),
        ({"client": []}, "0 words"),
        ({"client": ["ping", "{adress}"]}, "did you mean 'address'?"),
        ({"client": None}, "client: missing"),
        ({"ready": "port"}, "there is no server"),
        ({"file_limit": "2 GB"}, "is not within 1024 to 1e+09"),
        (
            {"server": ["nc"], "ready": "port", "ready_line": "up"},
            "take one of them away",
        ),
        ({"numbers": [{"pattern": PING, "units": {}}]}, "has no unit"),
        ({"numbers": [{"pattern": PING, "units": {"time": "parsec"}}]}, "unknown unit"),
        (
            {"numbers": [{"pattern": PING, "units": {"time": "ms", "tim": "ms"}}]},
            "no group 'tim'; did you mean 'time'?",
        ),
        (
            {"numbers": [{"pattern": PING, "units": {"time": "ms"}, "of": "server"}]},
            "there is no server",
        ),
        ({"numbers": [{"pattern": PING, "units": {"time": "ms"}}] * 2}, "already"),
    ],
)
def test_what_a_command_cannot_be(changes: dict[str, Any], reason: str) -> None:
    assert reason in fault(**changes)


def test_the_limit_of_files() -> None:
    for limit, most in ((None, 16 << 20), ("200 MB", 200_000_000)):
        spec = loads(text(file_limit=limit))
        assert make_plan(spec, {}).runs[0].job.traffic[0].most_file_bytes == most
    usual = loads(text()).digest
    assert usual == loads(text(file_limit=None)).digest != spec.digest


def test_words_with_values() -> None:
    values = {"address": "10.2.0.2", "port": "9001", "source": "", "duration": "5"}
    words = ["nc", "{address}:{port}", '{{"a": {duration}}}', "$(x)"]
    assert filled(words, values) == ["nc", "10.2.0.2:9001", '{"a": 5}', "$(x)"]


def test_a_metric_that_no_program_gives() -> None:
    whole = text() + "metrics: [command.tim_ms]\n"
    with pytest.raises(UserError, match=r"f.yaml:\d+: metrics\[0\]: no program .* did"):
        loads(whole, "f.yaml")
    assert loads(text() + "metrics: [command.time_ms]\n").metrics == (
        "command.time_ms",
    )


def test_a_job_with_a_bad_pattern_is_refused() -> None:
    job = json.loads(json.dumps(dump(make_plan(loads(text()), {}).runs[0].job)))
    check(job)
    job["traffic"][0]["numbers"][0]["pattern"] = "(a*)*["
    with pytest.raises(ValueError, match="not a pattern"):
        check(job)
    job["traffic"][0]["client"][0] = "../evil"
    with pytest.raises(ValueError, match="not the name of a program"):
        check(job)


@pytest.mark.parametrize(
    "pattern",
    [
        PING,
        r"^\s*(?P<x>\d+)\s+of [a-z]+ (?:yes|no)?$",
        "[^a](?P<y>.+?)%|z",
        "x{3}(?P<z>[0-9]+)",
    ],
)
def test_the_fake_backend_prints_what_a_pattern_matches(pattern: str) -> None:
    line = example(pattern, "12")
    assert all(n == 12 for n in reader.found([line], pattern).values())


def test_the_documented_example_on_the_fake_backend(
    tmp_path: Path, command: Command
) -> None:
    file = tmp_path / "pings.yaml"
    file.write_text(documented())
    done = command("run", file, "--backend", "fake", "--out", tmp_path / "out")
    assert done.status == 0, done.err
    assert "ping.command.time_ms" in (tmp_path / "out/runs.csv").read_text()


def test_a_program_that_the_machine_lacks(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(text(client=["no-such-program", "x"]))
    done = command("run", file, "--backend", "virtual", "--out", tmp_path / "out")
    assert done.status == 2 and done.err.count("\n") == 1
    assert "traffic[0].client: no program 'no-such-program'" in done.err
