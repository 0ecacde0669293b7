"""Traffic of curl and ab, and traffic that a design varies."""

from typing import Any

import pytest

from jobs import dump
from jobs import load as load_job
from mpbench.experiment_files import loads
from mpbench.plan import estimate, make_plan
from tests.parts import part
from tests.spec.files import FLOW, TEXT, faults, spec, swapped

ENDS = {"from": "client", "to": "server"}
CURL = {"tool": "curl", **ENDS, "size": "8 kB"}
AB = {"tool": "ab", **ENDS, "size": "8 kB", "duration": "30 s"}


def jobs(**sections: Any) -> list[dict[str, Any]]:
    return [dump(run.job) for run in make_plan(spec(**sections), {}).runs]


def one(entry: dict[str, Any]) -> dict[str, Any]:
    job, *_ = jobs(design=None, traffic=[entry])
    return job


def varied(entry: str, factors: str, more: str = "") -> str:
    """TEXT with one entry and further factors."""
    text = swapped(FLOW, f"  - {{{entry}, from: client, to: server}}\n{more}")
    return text.replace("cases:", f"{factors}cases:")


def test_download() -> None:
    (entry,) = spec(traffic=[{**CURL, "timeout": "1 min"}]).traffic
    assert isinstance(entry, part("curl", "keys").Download)
    assert (entry.size, entry.timeout, entry.end_s) == (8000, 60, 60)
    assert one({**CURL, "start": "1 s"})["traffic"] == [
        {
            **{"tool": "curl", "from": "client", "to": "server", "start_s": 1.0},
            **{"port": 80, "duration_s": None, "bytes": 8000, "reverse": True},
            "timeout_s": None,
            "transport": None,
        }
    ]


def test_requests() -> None:
    (entry,) = spec(traffic=[{**AB, "keep_alive": True}]).traffic
    assert isinstance(entry, part("ab", "keys").Requests)
    assert (entry.concurrency, entry.keep_alive, entry.timeout) == (1, True, 30)
    assert one(AB)["traffic"] == [
        {
            **{"tool": "ab", "from": "client", "to": "server", "start_s": 0.0},
            **{"port": 80, "duration_s": 30.0, "requests": None, "bytes": 8000},
            **{"reverse": True, "concurrency": 1, "keep_alive": False},
            "timeout_s": 30.0,
            "transport": None,
        }
    ]


def test_ports_of_several() -> None:
    found = one(CURL), jobs(design=None, traffic=[CURL, AB, {**CURL, "port": 8080}])[0]
    assert [entry["port"] for entry in found[1]["traffic"]] == [80, 81, 8080]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({**CURL, "size": 0}, "size: 0 bytes is not within 1 to 1e+12"),
        ({**CURL, "timeout": 0}, "timeout: 0 s is not within 0.001 to 86400"),
        ({**CURL, "timeout": "3 kB"}, "timeout: '3 kB' is an amount of data"),
        ({**CURL, "duration": "3 s"}, "duration: unknown key; "),
        ({**CURL, "tmieout": "3 s"}, "unknown key; did you mean 'timeout'?"),
        ({**CURL, "reverse": True}, "reverse: unknown key; "),
        ({"tool": "curl", **ENDS}, "size: missing"),
        ({**CURL, "tool": "crul"}, "unknown tool 'crul'; did you mean 'curl'?"),
        ({**CURL, "to": "sever"}, "two_path has no host 'sever'"),
        ({**AB, "requests": 9}, "duration and requests are both said"),
        ({**AB, "requests": 0, "duration": None}, "0 is below 1"),
        ({**AB, "duration": None}, "says neither how long nor how many"),
        ({**AB, "duration": "1.5 s"}, "1.5 s is not whole; ab counts whole seconds"),
        ({**AB, "timeout": "0.5 s"}, "timeout: 0.5 s is not within 1 to 86400"),
        ({**AB, "keep_alive": 1}, "keep_alive: expected true or false"),
        (
            {**AB, "duration": None, "requests": 3, "concurrency": 4},
            "concurrency: more at a time than the 3 requests",
        ),
    ],
)
def test_faults(entry: dict[str, Any], message: str) -> None:
    said = {key: value for key, value in entry.items() if value is not None}
    (found,) = faults(swapped(FLOW, f"  - {said!r}\n".replace("True", "true")))
    assert found.startswith("f.yaml:13: traffic[0]")
    assert message in found


def test_what_is_no_entry() -> None:
    assert "expected 'key: value' entries" in faults(swapped(FLOW, "  - curl\n"))[0]
    assert "traffic: expected a list" in faults(TEXT.replace(FLOW, "  tool: curl\n"))[0]
    (found,) = faults(swapped("tool: iperf3, ", ""))
    assert found == "f.yaml:13: traffic[0].tool: missing"


def test_sizes_are_crossed_with_the_points() -> None:
    text = varied("tool: curl", "    traffic.size: [8 kB, 2 MB]\n")
    plan = make_plan(loads(text), {})
    assert len(plan.design) == 4 * 2
    assert plan.factor_keys[-1] == "traffic.size_bytes"
    sizes = [dump(run.job)["traffic"][0]["bytes"] for run in plan.runs]
    assert sizes == ([8000] * 3 + [2_000_000] * 3) * 4
    assert [run.factors["traffic.size_bytes"] for run in plan.runs] == sizes


def test_traffic_is_spread_over() -> None:
    text = varied(
        "tool: ab, requests: 9, size: 1 kB",
        "    traffic.concurrency: {min: 1, max: 8}\n"
        "    traffic.start: {min: 0, max: 2 s}\n",
    )
    plan = make_plan(loads(text), {})
    entries = [dump(run.job)["traffic"][0] for run in plan.runs]
    assert {type(entry["concurrency"]) for entry in entries} == {int}
    assert len({entry["concurrency"] for entry in entries}) > 1
    assert all(0 <= entry["start_s"] <= 2 for entry in entries)


def test_entries_are_numbered_when_there_are_several() -> None:
    second = "  - {tool: iperf3, from: client, to: server}\n"
    factors = (
        "    traffic1.size: [1 kB, 2 kB]\n    traffic2.duration: [5 s, 9 s]\n"
        "  constraints: [traffic1.size >= 2000 or traffic2.duration > 5]\n"
    )
    plan = make_plan(loads(varied("tool: curl", factors, second)), {})
    both = {
        (
            dump(run.job)["traffic"][0]["bytes"],
            dump(run.job)["traffic"][1]["duration_s"],
        )
        for run in plan.runs
    }
    assert both == {(1000, 9), (2000, 5), (2000, 9)}


@pytest.mark.parametrize(
    ("entry", "factors", "message"),
    [
        ("tool: curl", "    traffic.sise: [1 kB]\n", "did you mean 'traffic.size'?"),
        ("tool: curl", "    traffic1.size: [1 kB]\n", "did you mean 'traffic.size'?"),
        (
            "tool: curl, size: 1 kB",
            "    traffic.size: [1 kB]\n",
            "traffic[0].size: a factor of the design too; take one away",
        ),
        (
            "tool: curl",
            "    traffic.size: [1 kB, 1 ms]\n",
            "'1 ms' is a time; an amount of data is needed",
        ),
        ("tool: curl", "    traffic.size: [0]\n", "traffic.size is 1 to 1e+12 bytes"),
        (
            "tool: ab, size: 1 kB",
            "    traffic.duration: [1.5 s]\n",
            "1.5 s is not a whole number",
        ),
        ("tool: ab, duration: 3 s", "    traffic.size: [1 s]\n", "'1 s' is a time"),
        (
            "tool: ab, size: 1 kB, requests: 3",
            "    traffic.concurrency: [1, 4]\n",
            "more at a time than the 3 requests",
        ),
    ],
)
def test_faults_of_what_varies(entry: str, factors: str, message: str) -> None:
    found = faults(varied(entry, factors))
    assert any(message in line for line in found), found
    given = "did you mean" not in message
    assert any("missing" in line for line in found) != given, "by the design"


def test_a_size_that_varies_leaves_the_digest_to_the_values() -> None:
    first, second = (
        loads(varied("tool: curl", f"    traffic.size: [{sizes}]\n")).digest
        for sizes in ("8 kB, 9 kB", "7 kB, 9 kB")
    )
    assert first != second


def limit(entry: dict[str, Any]) -> float:
    return float(one(entry)["time_limit_s"])


def test_time_limits() -> None:
    # 30 s of slack and ten round trips of 40 ms and two queues of 100 ms, rounded up
    slack = 30 + 10 * (0.04 + 0.2)
    assert limit({**CURL, "timeout": "20 s"}) == int(20 + slack) + 1
    # 5 % of 10 Mbit/s
    assert limit({**CURL, "size": "1 MB"}) == int(8e6 / 0.5e6 + slack) + 1
    assert limit({**AB, "size": "1 MB"}) == int(30 + 16 + slack) + 1
    counted = {key: value for key, value in AB.items() if key != "duration"}
    turns = 100 * (64e3 / 0.5e6 + 3 * 0.24)
    assert limit({**counted, "requests": 100}) == int(turns + slack) + 1


def test_estimates() -> None:
    def seconds(entry: dict[str, Any]) -> float:
        return estimate(load_job(one(entry))).virtual_s

    assert seconds({**CURL, "size": "2.5 MB", "timeout": "9 s"}) == pytest.approx(1.24)
    assert seconds({**CURL, "size": "1 GB", "timeout": "9 s"}) == 9
    assert seconds(AB) == 30
    counted = {key: value for key, value in AB.items() if key != "duration"}
    trips = {**counted, "requests": 100, "concurrency": 2}
    assert seconds(trips) == pytest.approx(100 * (64e3 / 20e6 + 1.5 * 0.02))
