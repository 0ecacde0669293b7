"""Plans: points, jobs, ids and estimates."""

import dataclasses
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jobs import bare, dump
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.plan import Estimate, draw_design, estimate, make_plan, total
from mpbench.plan.estimate import OVERHEAD_S
from tests.spec.files import TEXT, factors, spec

ROOT = Path(__file__).parents[2]
BUILD = {"kernel": "abc", "guest": "def"}


def corners(ranges: Any, count: int, rng: Any, **_: object) -> Any:
    """A design function without chance: from all minima to all maxima."""
    rows = np.linspace([f.minimum for f in ranges], [f.maximum for f in ranges], count)
    return SimpleNamespace(points=rows)


def test_runs_are_points_by_repetitions_by_cases() -> None:
    plan = make_plan(spec(repetitions=2), BUILD, corners)
    assert len(plan.runs) == 4 * 2 * 3
    assert len({run.id for run in plan.runs}) == len(plan.runs)
    assert [(r.point, r.repetition, r.case) for r in plan.runs[:4]] == [
        (0, 0, "mptcp"),
        (0, 0, "tcp1"),
        (0, 0, "tcp2"),
        (0, 1, "mptcp"),
    ]
    assert plan.factor_keys == ("path1.capacity_mbps", "path2.delay_ms")
    assert plan.design == ((1, 1), (34, 9), (67, 17), (100, 25))
    assert plan.runs[3].factors == {"path1.capacity_mbps": 1, "path2.delay_ms": 1}


def test_lists_are_crossed_with_the_spread_points() -> None:
    design = factors(
        points=2,
        path1__loss=["0 %", "1 %"],
        path1__capacity={"min": "1 Mbit/s", "max": "9 Mbit/s"},
        path2__queue=[10, 20],
    )
    plan = make_plan(spec(design=design), BUILD, corners)
    keys = ("path1.capacity_mbps", "path1.loss_percent", "path2.queue_packets")
    assert plan.factor_keys == keys
    assert plan.design[:5] == (
        (1, 0, 10),
        (1, 0, 20),
        (1, 1, 10),
        (1, 1, 20),
        (9, 0, 10),
    )
    assert len(plan.design) == 8


def test_a_grid() -> None:
    design = factors("grid", None, path1__delay=["1 ms", "2 ms"], path2__queue=[10, 20])
    plan = make_plan(spec(design=design), BUILD)
    assert plan.design == ((1, 10), (1, 20), (2, 10), (2, 20))
    assert draw_design(spec(design=design)) is None


def test_a_single_point() -> None:
    plan = make_plan(spec(design=None), BUILD)
    assert (len(plan.runs), plan.factor_keys, plan.design) == (3, (), ((),))


def test_constraints_hold_and_the_count_is_kept() -> None:
    ranges = {"min": "1 Mbit/s", "max": "100 Mbit/s"}
    design = factors(points=20, path1__capacity=ranges, path2__capacity=ranges)
    condition = "path1.capacity >= 2 * path2.capacity and path1.delay < 11"
    small = spec(design={**design, "constraints": [condition]})  # type: ignore[dict-item]
    plan = make_plan(small, BUILD)
    assert len(plan.design) == 20
    assert all(one >= 2 * two for one, two in plan.design)


def test_constraints_on_lists_drop_combinations() -> None:
    both = ["1 ms", "2 ms", "3 ms"]
    design = factors("grid", None, path1__delay=both, path2__delay=both)
    small = spec(design={**design, "constraints": ["path1.delay < path2.delay"]})  # type: ignore[dict-item]
    assert make_plan(small, BUILD).design == ((1, 2), (1, 3), (2, 3))
    none = spec(design={**design, "constraints": ["path1.delay > 5"]})  # type: ignore[dict-item]
    with pytest.raises(UserError, match="no combination satisfies them"):
        make_plan(none, BUILD)


def test_too_few_points_name_file_and_line() -> None:
    impossible = "points: 4\n  constraints: [path1.capacity > 1000]"
    small = loads(TEXT.replace("points: 4", impossible), "f.yaml")
    with pytest.raises(UserError, match=r"^f\.yaml:4: design: points: 4 wanted but 0"):
        make_plan(small, BUILD)


def test_the_same_file_gives_the_same_plan() -> None:
    assert make_plan(loads(TEXT), BUILD) == make_plan(loads(TEXT), BUILD)


def test_the_design_seed_moves_the_points_only() -> None:
    first = make_plan(loads(TEXT), BUILD)
    other = TEXT.replace("points: 4", "points: 4\n  seed: 2")
    second = make_plan(loads(other), BUILD)
    assert first.design != second.design
    grid = {"method": "grid", "factors": {"path1.loss": ["0 %", "1 %"]}}
    moved = ids(design={**grid, "seed": 2})
    assert moved == ids(design=grid), "equal points keep their runs"


def ids(build: dict[str, str] = BUILD, **sections: object) -> set[str]:
    return {run.id for run in make_plan(spec(**sections), build, corners).runs}


def test_ids_change_with_whatever_determines_the_outcome_and_nothing_else() -> None:
    before = ids()
    assert not before & ids(build={**BUILD, "kernel": "xyz"})
    assert not before & ids(seed=2)
    assert not before & ids(parameters={"path1.loss": "1 %"})
    assert before == ids(name="other", description="text", metrics=["jain"])
    assert before == ids(parameters={"path1.loss": "0 %"}), "the default, written"
    assert before < ids(repetitions=2), "more repetitions keep the first"


def test_an_id_does_not_depend_on_how_a_number_is_written() -> None:
    one, two = ({"parameters": {"path1.delay": d}} for d in ("10 ms", "0.01 s"))
    assert ids(**one) == ids(**two) == ids()


def test_job() -> None:
    traffic = [
        {"tool": "iperf3", "from": "client", "to": "server", "duration": "30 s"},
        {
            **{"tool": "iperf3", "from": "client", "to": "server", "size": "1 MB"},
            **{"start": "500 ms", "reverse": True, "read": "packet", "parallel": 2},
        },
    ]
    cases = {
        "mptcp": {"protocol": "mptcp", "congestion_control": "lia"},
        "tcp2": {
            **{"protocol": "tcp", "congestion_control": "reno", "path": 2},
            **{"sysctls": {"net.ipv4.tcp_sack": 0}},
        },
    }
    sections: dict[str, object] = {"traffic": traffic, "cases": cases}
    mptcp, tcp = make_plan(spec(design=None, **sections), BUILD).runs
    document = dump(mptcp.job)
    assert json.loads(json.dumps(document)) == document
    assert set(document) == {
        "format",
        "seed",
        "topology",
        "parameters",
        "links",
        "transport",
        "traffic",
        "time_limit_s",
        "trace_s",
        "capture",
        "report",
    }
    assert dump(mptcp.job)["parameters"]["path1.capacity_mbps"] == 10
    assert dump(mptcp.job)["parameters"]["path1.queue_packets"] is None
    assert dump(mptcp.job)["transport"] == {
        "protocol": "mptcp",
        "congestion_control": "lia",
        "scheduler": "default",
        "path": None,
        "path_manager": "fullmesh",
        "sysctls": {},
    }
    assert dump(tcp.job)["transport"] == {
        "protocol": "tcp",
        "congestion_control": "reno",
        "scheduler": None,
        "path": 2,
        "path_manager": None,
        "sysctls": {"net.ipv4.tcp_sack": "0"},
    }
    assert dump(mptcp.job)["traffic"][1] == {
        "tool": "iperf3",
        "from": "client",
        "to": "server",
        "duration_s": None,
        "bytes": 1_000_000,
        "reverse": True,
        "parallel": 2,
        "start_s": 0.5,
        "interval_s": 1.0,
        "port": 5202,
        "read": "packet",
        "read_bytes": 1,
        "transport": None,
    }


def test_seeds() -> None:
    runs = make_plan(spec(repetitions=3), BUILD, corners).runs
    seeds = {(run.point, run.repetition): run.job.seed for run in runs}
    assert len(set(seeds.values())) == 12
    assert all(0 <= seed < 2**63 for seed in seeds.values())
    per_place = Counter((run.point, run.repetition, run.job.seed) for run in runs)
    assert set(per_place.values()) == {3}, "the same for all cases"


def flow(**more: object) -> dict[str, object]:
    return {"tool": "iperf3", "from": "client", "to": "server", **more}


def limit(traffic: list[dict[str, object]], **sections: object) -> float:
    plan = make_plan(spec(design=None, traffic=traffic, **sections), BUILD)
    value = dump(plan.runs[0].job)["time_limit_s"]
    assert isinstance(value, float)
    return value


def test_time_limit() -> None:
    # 30 s of traffic, 30 s of slack, ten round trips of 40 ms and two queues
    # of 100 ms: 2.4 s; in whole seconds.
    assert limit([flow(duration="30 s")]) == 63
    assert limit([flow(duration="30 s"), flow(duration="9 s", start="1 min")]) == 102
    # 1 MB at 5 % of the slower path's 10 Mbit/s: 16 s
    assert limit([flow(size="1 MB")]) == 49
    assert limit([flow(duration="30 s")], time_limit="2 min") == 120
    longer = {"path1.queue": 10_000}  # 12.1 s at 10 Mbit/s, ten times
    assert limit([flow(duration="30 s")], parameters=longer) == 184


def one_estimate(traffic: list[dict[str, object]], case: int = 0) -> Estimate:
    plan = make_plan(spec(design=None, traffic=traffic), BUILD)
    return estimate(plan.runs[case].job)


def test_estimates() -> None:
    mptcp = one_estimate([flow(duration="30 s")])
    tcp = one_estimate([flow(duration="30 s")], case=1)
    assert mptcp.virtual_s == tcp.virtual_s == 30
    assert mptcp.wall_s > tcp.wall_s, "two paths carry more than one"
    both = one_estimate([flow(duration="30 s"), flow(duration="30 s")])
    assert both == mptcp, "flows share the paths"
    packet = one_estimate([flow(duration="30 s", read="packet")])
    assert packet.wall_s > mptcp.wall_s
    real = estimate(make_plan(spec(design=None), BUILD).runs[0].job, real_time=True)
    assert real.virtual_s == 30 < real.wall_s < 31
    sized = one_estimate([flow(size="25 MB")])
    assert sized.virtual_s == pytest.approx(10, abs=0.5), "at 20 Mbit/s"


def test_a_run_without_traffic_takes_its_boot_alone() -> None:
    assert estimate(bare(1, 1.0)) == Estimate(0.0, OVERHEAD_S)


def test_totals() -> None:
    every = [Estimate(30, 4), Estimate(30, 2), Estimate(10, 2)]
    assert total(every) == Estimate(70, 8)
    assert total(every, 2) == Estimate(70, 4)
    assert total(every, 8) == Estimate(70, 4), "no shorter than the longest run"
    assert total([]) == Estimate(0, 0)


def test_the_thesis_campaign() -> None:
    plan = make_plan(load(ROOT / "experiments/thesis/bulk-low-bdp.yaml"), BUILD)
    design = np.array(plan.design)
    assert design.shape == (98, 6)
    assert len(plan.runs) == 294
    assert (design >= [1, 1, 0, 1, 1, 0]).all()
    assert (design <= [100, 25, 100, 100, 25, 100]).all()
    assert {dump(run.job)["transport"]["congestion_control"] for run in plan.runs} == {
        "lia",
        "reno",
    }


def test_values_are_rounded_to_what_tc_can_set() -> None:
    plan = make_plan(loads(TEXT), BUILD)
    values = [value for row in plan.design for value in row]
    assert all(value == round(value, 6) for value in values)


def test_a_plan_is_plain_data() -> None:
    run = make_plan(loads(TEXT), BUILD).runs[0]
    assert json.loads(json.dumps(dataclasses.asdict(run)))["id"] == run.id


def test_capture_of_a_case_is_its_own() -> None:
    """An empty list takes the experiment's away."""
    tcp = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
    sections: dict[str, object] = {
        "capture": ["client-eth1", "client-eth2"],
        "cases": {
            "both": {**tcp},
            "none": {**tcp, "capture": []},
            "one": {**tcp, "capture": ["server-eth1"]},
        },
    }
    runs = make_plan(spec(design=None, **sections), BUILD).runs
    found = {run.case: dump(run.job)["capture"] for run in runs}
    assert found == {
        "both": {"interfaces": ["client-eth1", "client-eth2"], "full": False},
        "none": None,
        "one": {"interfaces": ["server-eth1"], "full": False},
    }
