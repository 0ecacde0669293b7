"""Several users in a file: whose transport is whose, what is drawn, what is refused."""

from typing import Any

import pytest
import yaml

from jobs import dump
from jobs import load as load_job
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import estimate, make_plan
from mpbench.spec import Spec

RENO = {"protocol": "tcp", "congestion_control": "reno"}
LIA = {"protocol": "mptcp", "congestion_control": "lia"}
ENDS = ("multi", "single1", "single2")


def flow(host: str, **more: object) -> dict[str, object]:
    ends = {"from": host, "to": f"server_{host}"}
    return {"tool": "iperf3", **ends, "duration": "30 s", **more}


TIMES = {"kind": "over_time", "quantities": ["goodput"]}
CBR = {**flow("single1"), "tool": "cbr", "rate": "5 Mbit/s"}


def text(**sections: object) -> str:
    values = {
        "name": "users",
        "topology": "two_links",
        "cases": {"lia": LIA},
        "traffic": [flow("multi"), flow("single1", transport=RENO)],
        **sections,
    }
    return yaml.safe_dump({k: v for k, v in values.items() if v is not None})


def spec(**sections: object) -> Spec:
    return loads(text(**sections))


def jobs(**sections: object) -> list[dict[str, Any]]:
    return [dump(run.job) for run in make_plan(spec(**sections), {}).runs]


def faults(**sections: object) -> str:
    with pytest.raises(UserError) as caught:
        make_plan(loads(text(**sections), "f.yaml"), {})
    return str(caught.value)


def test_an_entry_has_the_case_s_transport_or_its_own() -> None:
    reno = {**LIA, "congestion_control": "reno"}
    for job, case in zip(jobs(cases={"a": LIA, "b": reno}), (LIA, reno), strict=True):
        assert job["transport"]["congestion_control"] == case["congestion_control"]
        mine, other = job["traffic"]
        assert mine["transport"] is None
        assert other["transport"] == {
            **{"protocol": "tcp", "congestion_control": "reno", "path": None},
            **{"scheduler": None, "path_manager": None, "sysctls": {}},
        }


def test_users_multiply_connections_and_none_take_the_entry_out() -> None:
    factors = {"multi.users": [1, 30], "single1.users": [0, 2]}
    design = {"method": "grid", "factors": factors}
    traffic = [flow("multi"), flow("single1", transport=RENO, parallel=3)]
    found = jobs(design=design, traffic=traffic)
    counts = [[e["parallel"] for e in job["traffic"]] for job in found]
    assert counts == [[1], [1, 6], [30], [30, 6]]
    assert [job["report"]["names"] for job in found[:2]] == [
        ["multi"],
        ["multi", "single1"],
    ]
    assert [job["traffic"][-1]["port"] for job in found[:2]] == [5201, 5202]


def test_starts_are_drawn_by_repetition_alike_for_all_cases() -> None:
    cases = {"a": LIA, "b": {**LIA, "congestion_control": "reno"}}
    start = {"min": "1 s", "max": "5 s"}
    traffic = [flow("multi", start=start), flow("multi", start=start), flow("single1")]
    found = jobs(cases=cases, traffic=traffic, repetitions=3)
    drawn = [tuple(entry["start_s"] for entry in job["traffic"]) for job in found]
    assert drawn[0] == drawn[1] and drawn[2] == drawn[3]
    assert len(set(drawn)) == 3
    assert all(1 <= each <= 5 for one in drawn for each in one[:2])
    assert drawn[0][0] != drawn[0][1] and drawn[0][2] == 0
    assert found == jobs(cases=cases, traffic=traffic, repetitions=3)


def test_names() -> None:
    traffic = [flow("multi"), flow("single1", name="early"), flow("single1")]
    assert jobs(traffic=traffic, cases={"a": {**RENO, "path": 1}})[0]["report"] == {
        "names": ["multi", "early", "single1"],
        "phases": {},
    }
    twice = [flow("single1"), flow("single1"), flow("single2")]
    names = jobs(traffic=twice, cases={"a": RENO})[0]["report"]["names"]
    assert names == ["single1-1", "single1-2", "single2"]
    assert jobs(traffic=[flow("multi")])[0]["report"]["names"] is None


def test_phases_change_no_id() -> None:
    phases = {"first": "0 s..10 s", "second": {"start": "10 s", "end": "30 s"}}
    one, two = (make_plan(spec(phases=p), {}).runs[0] for p in ({}, phases))
    assert one.id == two.id
    assert dump(two.job)["report"]["phases"] == {"first": [0, 10], "second": [10, 30]}


def test_an_estimate_counts_the_links_that_are_used() -> None:
    one = jobs(traffic=[flow("single1")], cases={"a": RENO})[0]
    both = jobs()[0]
    assert estimate(load_job(both)).wall_s > 1.3 * estimate(load_job(one)).wall_s
    assert estimate(load_job(both)).virtual_s == 30


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"traffic": [flow("multi"), flow("multi", transport=RENO | {"path": 1})]},
            "f.yaml:16: traffic[1].transport: multi has another transport in traffic",
        ),
        (
            {"traffic": [flow("single1") | {"to": "server_multi"}]},
            "traffic[0].to: single1 reaches server_single1 only",
        ),
        (
            {"traffic": [flow("multi", name="x"), flow("single1", name="x")]},
            "traffic[1].name: 'x' is traffic[0] already; give another",
        ),
        ({"traffic": [flow("multi", name="a.b")]}, "'a.b' has a dot, which separates"),
        ({"traffic": [flow("multi", name="link1")]}, "'link1' is a link of two_links"),
        ({"cases": {"a": RENO}}, "cases.a.path: missing; multi has 2 paths; e.g. 1"),
        ({"cases": {"a": RENO | {"path": 3}}}, "there is no path 3; two_links has"),
        (
            {"traffic": [flow("single1", transport=RENO | {"path": 2})]},
            "there is no path 2 of single1, which has 1",
        ),
        (
            {"traffic": [flow("multi", start={"min": "2 s", "max": "1 s"})]},
            "traffic[0].start.min: min 2 s is above max 1 s; exchange them",
        ),
        (
            {"traffic": [flow("multi", transport=RENO | {"congestion_control": "x"})]},
            "traffic[0].transport.congestion_control: unknown congestion control 'x'",
        ),
        (
            {"traffic": [flow("single1", transport=LIA | {"scheduler": "redundant"})]},
            "traffic[0].transport.scheduler: redundant needs 2 subflows, single1 has",
        ),
        (
            {"cases": {"a": LIA | {"scheduler": "roundrobin"}}}
            | {"traffic": [flow("multi"), flow("single2")]},
            "cases.a.scheduler: roundrobin needs 2 subflows, single2 has 1; write ",
        ),
        ({"parameters": {"multi.users": 129}}, "129 users is out of range"),
        (
            {
                "parameters": {"multi.users": 100},
                "traffic": [flow("multi", parallel=2)],
            },
            "traffic[0]: 100 users with 2 connections each; iperf3 has 128 at most",
        ),
        (
            {"parameters": {"multi.users": 0}, "traffic": [flow("multi")]},
            "traffic: nobody uses the network; set users above 0",
        ),
        ({"phases": {"a": "10 s..5 s"}}, "phases.a: ends at 5 s, not after it starts"),
        ({"phases": {"a": "10 s"}}, "phases.a: '10 s' is not a range of time; write"),
        (
            {"phases": {"a": {"from": "1 s", "to": "5 s"}}},
            "phases.a: a range of time has start and end; write e.g. 0 s..40 s",
        ),
        (
            {"phases": {"a": "0 s..20 s"}, "metrics": ["goodput", "a.goodput"]},
            "metrics[1]: 'a' is a part of the run, whose metrics are measured with",
        ),
        (
            {"phases": {"a": "0 s..40 s"}},
            "phases.a: ends at 40 s, but the traffic at 30",
        ),
        (
            {"phases": {"a": "0 s..20 s", "b": "10 s..30 s"}},
            "f.yaml:8: phases.b: starts at 10 s, within a, which ends at 20 s",
        ),
        ({"phases": {"a.b": "0 s..20 s"}}, "'a.b' has a dot, which separates columns"),
        ({"traffic": [CBR | {"burst": "1 ms"}]}, "traffic[0].pause: missing; burst is"),
        (
            {"traffic": [CBR | {"rate": "0 Mbit/s"}]},
            "0 Mbit/s is not above 0 and",
        ),
        (
            {"traffic": [CBR | {"bytes": "1 MB"}]},
            "traffic[0].bytes: unknown key; ",
        ),
        (
            {"figures": [{"kind": "over_time", "quantities": ["cwnd"]}]},
            "figures[0].quantities[0]: 'cwnd' is known of traces only; say e.g. trace",
        ),
        (
            {"figures": [{"kind": "over_time", "quantities": ["window"]}]},
            "unknown quantity 'window'; did you mean 'cwnd'? (known: goodput, ",
        ),
        (
            {"figures": [{"kind": "over_time"}]},
            "figures[0].quantities: missing; a figure of kind over_time needs it",
        ),
        (
            {"figures": [TIMES | {"users": ["multy"]}]},
            "figures[0].users[0]: 'multy' has no traffic; did you mean 'multi'?",
        ),
        (
            {"figures": [TIMES | {"span": "40 s..20 s"}]},
            "figures[0].span: ends at 20 s, not after it starts at 40 s",
        ),
        (
            {"figures": [TIMES | {"span": "30 s..40 s"}]},
            "figures[0].span: begins at 30 s, but the traffic ends at 30 s; begin",
        ),
        (
            {"figures": [TIMES | {"repetition": 1}]},
            "figures[0].repetition: there is no repetition 1; they are 0 to 0",
        ),
        ({"trace": "0 ms"}, "trace: 0 s is not within 0.001 to 3600"),
    ],
)
def test_what_is_refused(sections: dict[str, object], message: str) -> None:
    said = faults(**sections)
    assert message in said
    assert said.startswith("f.yaml:") and "\n" not in said


@pytest.mark.parametrize("topology", [None, "two_lins"])
def test_a_figure_of_users_in_an_unknown_network(topology: str | None) -> None:
    """The network is the fault, and not the hosts of the figure."""
    figures = [TIMES | {"users": ["multi"]}]
    said = faults(topology=topology, traffic=[flow("multi")], figures=figures)
    assert said.startswith("f.yaml") and "\n" not in said
    assert "topology" in said and "has no traffic" not in said
