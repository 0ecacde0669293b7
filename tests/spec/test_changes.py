"""The section `changes:`: the steps that it becomes in a job, and its faults."""

import os
from pathlib import Path
from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.plan import advice, make_plan
from mpbench.plan.estimate import estimate
from mpbench.plan.job_format import load as check
from tests.calls import Command
from tests.spec.files import faults

HEAD = """\
name: change
topology: two_path
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 60 s}
"""
LOOP = """\
changes:
  path1:
    at: {0 s: {capacity: 20 Mbit/s}, 1 s: {capacity: 2 Mbit/s}, 2 s: {capacity: 0}}
    repeat: 4 s
"""


def job(text: str, number: int = 0) -> dict[str, Any]:
    return dump(make_plan(loads(text), {}).runs[number].job)


def series(text: str, number: int = 0) -> list[tuple[Any, ...]]:
    return [
        (s["link"], s["direction"], s["quantity"], s["at_s"], s["values"])
        for s in job(text, number)["changes"]
    ]


def test_steps_stand_in_the_job_with_their_period() -> None:
    made = job(HEAD + LOOP)
    (one,) = made["changes"]
    assert one == {
        "link": "path1",
        "direction": "both",
        "quantity": "capacity_mbps",
        "at_s": [0.0, 1.0, 2.0],
        "values": [20.0, 2.0, 0.0],
        "period_s": 4.0,
    }
    check(made)
    # What holds at 0 s sizes the queue: 100 ms at 20 Mbit/s.
    assert made["parameters"]["path1.capacity_mbps"] == 20
    assert made["links"][0]["queue_packets"] == 166


def test_a_capacity_that_the_file_gives_holds_before_the_first_change() -> None:
    text = HEAD + "parameters: {path1.capacity: 40 Mbit/s}\n" + LOOP
    assert job(text)["parameters"]["path1.capacity_mbps"] == 40


def test_all_quantities_change_in_each_direction() -> None:
    text = HEAD + (
        "changes:\n  path1..2:\n    at:\n"
        "      500 ms: {delay: {up: 5 ms, down: 50 ms}, loss: 1 %, queue: 20}\n"
        "      2 s: {delay: 1 ms, up: false}\n      3 s: {up: true}\n"
    )
    assert series(text)[:5] == [
        ("path1", "up", "delay_ms", [0.5, 2.0], [5.0, 1.0]),
        ("path1", "down", "delay_ms", [0.5, 2.0], [50.0, 1.0]),
        ("path1", "both", "queue_packets", [0.5], [20.0]),
        ("path1", "both", "loss_percent", [0.5], [1.0]),
        ("path1", "both", "up", [2.0, 3.0], [0.0, 1.0]),
    ]
    assert {one[0] for one in series(text)} == {"path1", "path2"}


DRAWS = """\
changes:
  path1: {every: 25 s, capacity: {min: 1 Mbit/s, max: 9 Mbit/s},
          queue: {min: 10, max: 500}}
"""


def test_draws_follow_from_the_seed_alone() -> None:
    text = HEAD + "repetitions: 2\n" + DRAWS
    capacity, queue = series(text)
    assert capacity[3] == queue[3] == [0.0, 25.0, 50.0]
    assert all(1 <= value <= 9 for value in capacity[4])
    assert all(value == int(value) for value in queue[4])
    assert series(text) == series(text)
    assert series(text, 1) != series(text)
    assert series("seed: 2\n" + text) != series(text)
    # Every case of a repetition meets the same network.
    two = text.replace(
        "cases:", "cases:\n  olia: {protocol: mptcp, congestion_control: olia}"
    )
    assert series(two, 0) == series(two, 1) == series(text)


def test_a_longer_run_begins_with_the_draws_of_a_shorter_one() -> None:
    longer = series((HEAD + DRAWS).replace("60 s", "600 s"))[0][4]
    assert longer[:3] == series(HEAD + DRAWS)[0][4] and len(set(longer)) == 24


def test_an_experiment_without_changes_has_the_job_that_it_had() -> None:
    assert "changes" not in job(HEAD)
    plan = make_plan(loads(HEAD), {})
    # As of 0.2.0 before there were changes.
    assert (plan.runs[0].id, plan.spec_hash[:16]) == (
        "9ef57b2c25e6de1f",
        "41200649f3c49a5f",
    )


def test_run_ids_depend_on_the_steps_and_not_on_how_they_are_written() -> None:
    ids = {
        make_plan(loads(HEAD + LOOP.replace("1 s", t)), {}).runs[0].id
        for t in ("1 s", "1000 ms")
    }
    assert len(ids) == 1
    (other,) = make_plan(loads(HEAD + LOOP.replace("1 s", "1.1 s")), {}).runs
    assert other.id not in ids


def test_the_estimate_counts_capacity_over_time() -> None:
    def cost_s(text: str) -> float:
        return estimate(check(job(text))).wall_s - estimate(check(job(HEAD))).wall_s

    # 20, 2 and 0 Mbit/s: 22 Mbit in 4 s and not the 10 Mbit/s by default.
    assert cost_s(HEAD + LOOP) == pytest.approx(60 * (22 / 4 - 10) / 2.2e3)


def test_the_time_limit_allows_for_outages() -> None:
    text = HEAD + "changes: {path1: {at: {1 s: {capacity: 0}, 50 s: {capacity: 1 kbit/s"
    (line,) = faults(text + "}}}}\n")
    assert "out of range" in line and "or 0 for an outage" in line
    fine = text.replace("1 kbit/s", "1 Mbit/s") + "}}}}\n"
    assert job(fine)["time_limit_s"] > job(HEAD)["time_limit_s"] + 49


def trace(folder: Path, content: str | bytes, more: str = "repeat: true") -> Path:
    data = content.encode() if isinstance(content, str) else content
    (folder / "lte.trace").write_bytes(data)
    path = folder / "file.yaml"
    path.write_text(HEAD + f"changes: {{path1: {{trace: lte.trace, {more}}}}}\n")
    return path


def test_a_trace_becomes_steps_of_capacity(tmp_path: Path) -> None:
    # 3 packets up to 100 ms, none in the next, 1 in the last bin of 50 ms.
    path = trace(tmp_path, "0\n40\n100\n250\n")
    made = dump(make_plan(load(path), {}).runs[0].job)
    (one,) = made["changes"]
    assert one["at_s"] == [0.0, 0.1, 0.2] and one["period_s"] == 0.25
    assert one["values"] == [
        pytest.approx(3 * 1514 * 8 / 1e5),
        0.0,
        pytest.approx(1514 * 8 / 5e4),
    ]
    mean = made["parameters"]["path1.capacity_mbps"]
    assert mean == pytest.approx(4 * 1514 * 8 / 2.5e5)
    wide = trace(tmp_path, "0\n40\n100\n250\n", "repeat: true, bin: 250 ms")
    (wide_one,) = dump(make_plan(load(wide), {}).runs[0].job)["changes"]
    assert wide_one["at_s"] == [0.0]


def test_a_job_with_a_trace_needs_the_file_no_more(tmp_path: Path) -> None:
    path = trace(tmp_path, "5\n10\n")
    plan = make_plan(load(path), {})
    (tmp_path / "other").mkdir()
    (tmp_path / "lte.trace").rename(tmp_path / "other" / "name.trace")
    moved = tmp_path / "other" / "file.yaml"
    moved.write_text(path.read_text().replace("lte.trace", "name.trace"))
    assert make_plan(load(moved), {}).runs[0].id == plan.runs[0].id
    check(dump(plan.runs[0].job))


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        ("", "repeat: true", "empty; a trace has a time in ms"),
        ("\n\n", "repeat: true", "empty"),
        ("5\n4\n", "repeat: true", "line 2: 4 ms stands behind 5 ms; sort"),
        ("5\n-6\n", "repeat: true", "line 2: '-6' is not a time"),
        (b"5\n\xff\x1b[2J\n", "repeat: true", "line 2: '??[2J' is not a time"),
        ("0\n0\n", "repeat: true", "the last one is the trace's length"),
        ("100\n", "bin: 100 ms", "ends at 0.1 s, before the traffic, at 60 s"),
        ("1\n" * 9000, "repeat: true", "in a millisecond; at most 100000"),
        ("9999999999\n", "repeat: true", "is not a time"),
    ],
)
def test_faults_of_traces(
    tmp_path: Path, content: str | bytes, more: str, words: str
) -> None:
    path = trace(tmp_path, content, more)
    with pytest.raises(UserError) as error:
        make_plan(load(path), {})
    text = str(error.value)
    assert text.startswith(f"{path}:7: changes.path1.trace: lte.trace: ")
    assert words in text and "\n" not in text


def test_a_trace_without_repetition_lasts_until_the_traffic_ends(
    tmp_path: Path,
) -> None:
    packets = "0\n" * 100
    assert make_plan(load(trace(tmp_path, f"{packets}60000\n", "bin: 1 s")), {})
    with pytest.raises(UserError, match=r"ends at 59\.999 s, before the traffic"):
        make_plan(load(trace(tmp_path, f"{packets}59999\n", "bin: 1 s")), {})


def test_traces_that_are_no_regular_files(tmp_path: Path) -> None:
    path = trace(tmp_path, "1\n")
    (tmp_path / "lte.trace").unlink()
    with pytest.raises(UserError, match="no such file; the name is relative"):
        make_plan(load(path), {})
    os.mkfifo(tmp_path / "lte.trace")
    with pytest.raises(UserError, match="not a regular file"):
        make_plan(load(path), {})
    (tmp_path / "lte.trace").unlink()
    (tmp_path / "lte.trace").mkdir()
    with pytest.raises(UserError, match=r"cannot be read|not a regular file"):
        make_plan(load(path), {})


FAULTS = {
    "path3: {at: {1 s: {capacity: 0}}}": "two_path has no link 'path3'; did you mean",
    "path1..x: {at: {1 s: {capacity: 0}}}": "is not a range such as",
    "path1: {}": "give 'at', 'every' or 'trace'",
    "path1: {at: {1 s: {}}}": "changes nothing; name one of capacity",
    "path1: {at: {1 s: {jitter: 1 ms}}}": "jitter: unknown key",
    "path1: {at: {2 s: {delay: 1 ms}, 1 s: {delay: 2 ms}}}":
        "changes.path1.at.1 s: stands behind 2 s; sort",
    "path1: {at: {1 s: {delay: 1 ms}, 1000 ms: {delay: 2 ms}}}": "each of them once",
    "path1: {at: {60 s: {delay: 1 ms}}}": "not before the end of the traffic, at 60 s",
    "path1: {at: {5 s: {delay: 1 ms}}, repeat: 4 s}": "the end of the period of 4 s",
    "path1: {at: {soon: {delay: 1 ms}}}": "'soon' is not a quantity",
    "path1: {at: {-1 s: {delay: 1 ms}}}": "-1 s is not within 0",
    "path1: {at: {1 s: {capacity: -1 Mbit/s}}}": "-1 Mbit/s is out of range",
    "path1: {at: {1 s: {capacity: 5 ms}}}": "a data rate is needed",
    "path1: {at: {1 s: {capacity: {up: 0}}}}": "down: missing; give both, up and down",
    "path1: {at: {1 s: {up: 1}}}": "expected true or false",
    "path1: {every: 5 s}": "draws nothing; give a range for one of capacity",
    "path1: {capacity: {min: 1 Mbit/s, max: 2 Mbit/s}}": "such as 'every: 30 s'",
    "path1: {every: 5 s, capacity: 1 Mbit/s}": "write {min: ..., max: ...}",
    "path1: {every: 5 s, capacity: {min: 2 Mbit/s, max: 1 Mbit/s}}": "above max",
    "path1: {every: 5 s, capacity: {min: 2 Mbit/s}}": "missing; give both, min and max",
    "path1: {trace: t, every: 5 s, capacity: {min: 1 Mbit/s, max: 2 Mbit/s}}":
        "changes by the trace already",
    "path1: {every: 5 s, loss: {min: 1 %, max: 2 %}, at: {1 s: {loss: 0}}}":
        "is drawn 'every' so often already",
    "path1: {at: {1 s: {capacity: 0}}, repeat: true}": "give the period",
    "path1: {trace: t, repeat: 4 s}": "write 'repeat: true'",
    "path1: {at: {1 s: {capacity: 0}}, bin: 1 s}": "of traces only",
    "path1: {at: {1 s: {capacity: 0}}}\n  path1..2: {at: {1 s: {capacity: 0}}}":
        "'path1' stands under path1 already; join them",
    "path2: {at: {1 s: {delay: 1 ms}}}": "path2.delay is a factor of the design too",
}  # fmt: skip


@pytest.mark.parametrize("given", list(FAULTS))
def test_each_fault_has_its_line(given: str) -> None:
    design = "design: {method: grid, factors: {path2.delay: [5 ms, 20 ms]}}\n"
    lines = faults(HEAD + design + f"changes:\n  {given}\n")
    assert any(FAULTS[given] in line for line in lines), lines
    assert all(line.partition(": ")[0].rpartition(":")[2].isdigit() for line in lines)


def test_what_a_link_cannot_do() -> None:
    network = HEAD.replace(
        "topology: two_path",
        (
            "network:\n  links: {far: {delay: 5 ms}, near: {}}\n"
            "  users: {client: {paths: [near far], to: server}}"
        ),
    )
    (line,) = faults(network + "changes: {far: {at: {1 s: {capacity: 0}}}}\n")
    assert "far only delays; give it a capacity" in line
    (line,) = faults(network + "changes: {far: {at: {1 s: {up: false}}}}\n")
    assert "no path of a user begins with far" in line
    assert job(network + "changes: {far: {at: {1 s: {delay: 9 ms}}}}\n")["changes"]
    mininet = HEAD.replace("two_path", "minitopo")
    (line,) = faults(mininet + "changes: {path1: {at: {1 s: {capacity: 0}}}}\n")
    assert "the links of minitopo cannot change; use two_path" in line


def test_draws_need_an_end() -> None:
    sized = HEAD.replace("duration: 60 s", "size: 1 MB")
    with pytest.raises(UserError, match=r":8: changes.path1.every: .*'time_limit'"):
        job(sized + DRAWS)
    assert job(sized + "time_limit: 30 s\n" + DRAWS)["changes"][0]["at_s"] == [0, 25]


STRANGE: dict[str, dict[str, Any]] = {
    "the times do not rise": {"at_s": [1.0, 1.0, 2.0]},
    "needs as many values": {"values": [1.0]},
    "after the end of the period": {"period_s": 2.0},
    "outside 0 to": {"values": [-1.0, 1.0, 1.0]},
    "has no capacity_mbps": {"link": "path7"},
    "direction": {"direction": "left"},
    "quantity": {"quantity": "mtu"},
    "for both directions": {"quantity": "up", "direction": "up",
                            "values": [0.0, 1.0, 0.0]},
    "not a whole number": {"quantity": "up", "values": [0.0, 0.5, 0.0]},
    "finite": {"values": [float("inf"), 1.0, 1.0]},
}  # fmt: skip


@pytest.mark.parametrize("words", STRANGE)
def test_jobs_of_strangers(words: str) -> None:
    made = job(HEAD + LOOP)
    strange = {**made, "changes": [{**made["changes"][0], **STRANGE[words]}]}
    with pytest.raises(ValueError, match=words):
        check(strange)
    twice = {**made, "changes": made["changes"] * 2}
    with pytest.raises(ValueError, match="stands twice"):
        check(twice)


def test_a_jitter_larger_than_a_later_delay_is_refused() -> None:
    text = HEAD + "parameters: {path1.jitter: 2 ms}\n"
    with pytest.raises(UserError, match=r":8: .*1 ms is less than the jitter, 2 ms"):
        job(text + "changes: {path1: {at: {1 s: {delay: 1 ms}}}}\n")
    assert job(text + "changes: {path1: {at: {1 s: {delay: 2 ms}}}}\n")


@pytest.mark.parametrize(
    "step",
    [
        "9 s: {capacity: 0}",
        "9 s: {up: false}",
        "9 s: {loss: 100 %}",
        "9 s: {loss: {up: 0, down: 100 %}}",
        "0 s: {loss: 100 %}",
        "0 s: {capacity: 5 Mbit/s, loss: 1 %}, 9 s: {loss: 100 %}",
    ],
)
def test_a_warning_names_transports_that_cannot_end(step: str) -> None:
    tcp = "cases:\n  tcp1: {protocol: tcp, congestion_control: reno, path: 1}"
    text = HEAD.replace("cases:", tcp)
    spec = loads(text + f"changes: {{path1: {{at: {{{step}}}}}}}\n")
    line = advice.warnings(spec, make_plan(spec, {}))[-1]
    assert "tcp1: traffic[0]: client has no path that works at 60 s" in line
    back = loads(text + LOOP)
    (line,) = advice.warnings(back, make_plan(back, {})) or ["none"]
    assert line == "none"


def test_drawings_and_models_know_of_changes(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "f.yaml"
    more = "  path2: {at: {1 s: {up: false, delay: 5 ms}}}\n"
    file.write_text(HEAD + LOOP + more)
    drawn = command("network", file)
    assert "changes: capacity; client" in drawn.out
    assert "changes: delay, interfaces; client" in drawn.out
    refused = command("model", "max-min", "--experiment", file)
    assert refused.status == 2
    assert ":7: changes: the models need links that stay as they are" in refused.err


@pytest.mark.parametrize(
    ("changes", "phases"),
    [
        ("path1: {at: {20 s: {loss: 1 %}}}", {"before": [0, 20], "after": [20, 60]}),
        (
            "path1: {at: {0 s: {loss: 1 %}, 20 s: {up: false}, 25 s: {up: true}}}",
            {"before": [0, 20], "during": [20, 25], "after": [25, 60]},
        ),
        (
            "{path1: {at: {9 s: {up: false}}}, path2: {at: {9 s: {loss: 0}}}}",
            {"before": [0, 9], "after": [9, 60]},
        ),
        (
            "{path1: {at: {9 s: {up: false}}}, path2: {every: 1 s, loss:"
            " {min: 0 %, max: 1 %}}}",
            {"before": [0, 9], "after": [9, 60]},
        ),
        ("path1: {at: {1 s: {loss: 1 %}, 2 s: {loss: 0}}, repeat: 4 s}", {}),
        ("path1: {every: 1 s, loss: {min: 0 %, max: 1 %}}", {}),
    ],
)
def test_changes_make_phases(changes: str, phases: dict[str, list[float]]) -> None:
    inside = changes if changes.startswith("{") else f"{{{changes}}}"
    text = f"{HEAD}changes: {inside}\n"
    assert job(text)["report"]["phases"] == phases
    spec = loads(text)
    assert spec.phase_names == tuple(phases)
    spans = {name: list(span or ()) for name, span in spec.phase_spans.items()}
    assert spans == phases


def test_named_phases_replace_those_of_changes() -> None:
    text = f"{HEAD}changes: {{path1: {{at: {{20 s: {{up: false}}}}}}}}\n"
    made = job(f"{text}phases: {{late: 30 s..60 s}}\n")
    assert made["report"]["phases"] == {"late": [30, 60]}


def test_phases_follow_the_times_of_each_point() -> None:
    text = f"""{HEAD}design: {{method: grid, factors: {{leaves: [10 s, 30 s]}}}}
changes: {{path1: {{at: {{= leaves: {{up: false}}, = leaves + 5 s: {{up: true}}}}}}}}
compare: {{better: {{during.goodput: more}}}}
"""
    text = text.replace(
        "lia: {", "olia: {protocol: mptcp, congestion_control: olia}\n  lia: {", 1
    )
    assert job(text, 0)["report"]["phases"]["during"] == [10, 15]
    assert job(text, 2)["report"]["phases"]["during"] == [30, 35]
    assert loads(text).phase_spans == {"before": None, "during": None, "after": None}


def test_an_answer_that_is_waited_for_makes_no_phase_longer() -> None:
    """A game waits up to 30 s for its last answer; a download beside it that ends with
    the game then fills the last phase, and is not left out of it."""
    text = f"{HEAD}changes: {{path1: {{at: {{57 s: {{up: false}}}}}}}}\n"
    game = (
        "  - {tool: pingpong, from: client, to: server, size: 1 kB, duration: 60 s}\n"
    )
    text = text.replace("traffic:\n", f"traffic:\n{game}")
    assert job(text)["report"]["phases"] == {"before": [0, 57], "after": [57, 60]}
    spec = loads(text)
    assert spec.phase_spans == {"before": (0, 57), "after": (57, 60)}


def test_traffic_without_a_known_end_has_no_phases() -> None:
    text = HEAD.replace("duration: 60 s", "size: 1 MB")
    made = job(f"{text}changes: {{path1: {{at: {{20 s: {{up: false}}}}}}}}\n")
    assert made["report"]["phases"] == {}
