"""Repetitions that change delays a little: what they draw, and what stays as it was."""

from typing import Any

import pytest

from analysis.run import path_names, perturbed
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import Plan, make_plan, perturbation
from mpbench.spec import repetitions
from mpbench.spec.json_schema import json_schema
from tests.spec.files import TEXT, faults, spec
from topologies.shaping import Shape

BUILD = {"kernel": "abc", "guest": "def"}
SHARE = 0.5
PERTURB: dict[str, Any] = {"count": 3, "perturb": {"delay": f"{SHARE} %"}}
NETWORK = {
    "links": {
        "near": {"capacity": "5 Mbit/s", "delay": {"up": "5 ms", "down": "8 ms"}},
        "far": {"capacity": "9 Mbit/s", "delay": "20 ms"},
        "bare": {"capacity": "9 Mbit/s", "delay": 0},
    },
    "users": {"client": {"paths": ["near far", "bare"], "to": "server"}},
}


def plan(**sections: object) -> Plan:
    return make_plan(spec(**sections), BUILD)


def delays(of: Plan) -> dict[tuple[int, int, str], tuple[float, ...]]:
    """The links' delays by point, repetition and case."""
    return {
        (run.point, run.repetition, run.case): tuple(
            link.delay_ms for link in run.job.links
        )
        for run in of.runs
    }


def test_runs_without_the_key_keep_their_ids_and_the_file_its_hash() -> None:
    """Both were recorded before the key was there."""
    made = plan(repetitions=2)
    assert made.runs[0].id == "bf5c8c1c13495fb3"
    assert made.runs[-1].id == "90e14eff9ca693c4"
    assert (
        made.spec_hash
        == "0ec653c8355ceefe5b3f94bb680c45474cb98721a825b309764990c598166907"
    )
    assert plan(repetitions={"count": 2}) == made


def test_each_repetition_of_a_point_has_its_own_delays_and_cases_share_them() -> None:
    found = delays(plan(repetitions=PERTURB))
    by_place: dict[tuple[int, int], set[tuple[float, ...]]] = {}
    for (point, repetition, _), of_run in found.items():
        by_place.setdefault((point, repetition), set()).add(of_run)
    assert all(len(of_place) == 1 for of_place in by_place.values())
    assert len(set().union(*by_place.values())) == len(by_place) == 4 * 3


def test_delays_stay_within_the_share_and_fill_it() -> None:
    asked = delays(plan(repetitions=60))
    given = delays(plan(repetitions={**PERTURB, "count": 60}))
    off = [
        100 * (changed / wanted - 1)
        for place, of_run in given.items()
        for changed, wanted in zip(of_run, asked[place], strict=True)
    ]
    assert max(map(abs, off)) <= SHARE + 1e-3  # delays are whole nanoseconds
    assert min(off) < -0.95 * SHARE and max(off) > 0.95 * SHARE
    assert abs(sum(off) / len(off)) < 0.05 * SHARE


def test_the_first_repetition_is_perturbed_too() -> None:
    (run,) = (r for r in plan(repetitions=PERTURB).runs[:1])
    assert run.job.shapes["path1"].delay_ms != run.job.parameters["path1.delay_ms"]


def test_what_the_file_asks_for_stays() -> None:
    made, before = plan(repetitions=PERTURB), plan(repetitions=3)
    for run, other in zip(made.runs, before.runs, strict=True):
        assert run.factors == other.factors
        assert run.job.parameters == other.job.parameters
        assert run.job.seed == other.job.seed
        for link, asked in zip(run.job.links, other.job.links, strict=True):
            assert link.queue_packets == asked.queue_packets
            percent = perturbed.columns(run.job)[f"{link.name}.delay_change_percent"]
            moved = asked.delay_ms * (1 + percent / 100)
            assert link.delay_ms == pytest.approx(moved, abs=1e-6)


def test_both_directions_move_alike_and_no_delay_stays_none() -> None:
    made = plan(topology=None, network=NETWORK, design=None, repetitions=PERTURB)
    job = made.runs[0].job
    assert job.report is not None
    percents = job.report.delay_changes_percent
    assert sorted(percents) == ["far", "near"]
    near = job.shapes["near"]
    assert near.down is not None
    assert near.down.delay_ms / near.delay_ms == pytest.approx(8 / 5, abs=1e-6)
    assert job.shapes["bare"].delay_ms == 0
    columns = path_names.settings(job)
    assert columns["path1.delay_ms"] == 25, "the one that the file asks for"


def test_delays_of_changes_move_as_the_link_does() -> None:
    changes = {"path1": {"at": {"0 s": {"delay": "10 ms"}, "5 s": {"delay": "20 ms"}}}}
    job = plan(changes=changes, repetitions=PERTURB).runs[0].job
    (series,) = job.changes
    percent = perturbed.columns(job)["path1.delay_change_percent"]
    wanted = [10 * (1 + percent / 100), 20 * (1 + percent / 100)]
    assert list(series.values) == pytest.approx(wanted, abs=1e-6)
    assert job.shapes["path1"].delay_ms == series.values[0]


def test_a_job_without_the_key_has_no_such_part() -> None:
    before, made = plan().runs[0].job, plan(repetitions=PERTURB).runs[0].job
    assert "delay_changes_percent" not in dump(before)["report"]
    assert perturbed.columns(before) == {}
    assert set(dump(made)["report"]["delay_changes_percent"]) == {"path1", "path2"}


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("five", "repetitions: expected a whole number, or {count: 5, perturb:"),
        ("0", "repetitions: 0 is below 1, the least value that works"),
        ("{perturb: {delay: 1 %}}", "repetitions.count: missing"),
        ("{count: 0}", "repetitions.count: 0 is below 1"),
        ("{count: 2, perturb: {}}", "repetitions.perturb.delay: missing"),
        ("{count: 2, perturb: {delay: 11 %}}", "11 % is not within 0.001 to 10"),
        ("{count: 2, perturb: {delay: 0}}", "0 % is not within 0.001 to 10"),
        ("{count: 2, perturb: {delay: 1 %, zest: 1 %}}", "perturb.zest: unknown key"),
    ],
)
def test_what_does_not_work_is_told(value: str, line: str) -> None:
    (fault,) = faults(f"{TEXT}repetitions: {value}\n")
    assert fault.startswith("f.yaml:14: repetitions") and line in fault


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ("1", True),
        ("0", False),
        ("100001", False),
        ("true", False),
        ("2.0", False),
        ("{count: 100001}", False),
        ("{count: 1, perturb: {delay: 0.001 %}}", True),
        ("{count: 1, perturb: {delay: 0.0009 %}}", False),
        ("{count: 1, perturb: {delay: 10 %}}", True),
        ("{count: 1, perturb: {delay: 10.1 %}}", False),
    ],
)
def test_the_ends_of_what_works(value: str, taken: bool) -> None:
    text = f"{TEXT}repetitions: {value}\n"
    if taken:
        loads(text)
    else:
        assert len(faults(text)) == 1


def test_so_many_repetitions_can_be_asked_for() -> None:
    assert repetitions.given(100_000) == {"count": 100_000}
    assert repetitions.Repetitions.model_validate({"count": 100_000}).count == 100_000


def test_changes_have_six_decimals() -> None:
    shapes = {f"link{n}": Shape(10.0, 5.0) for n in range(200)}
    drawn = perturbation.drawn(SHARE, shapes, (), seed=7)
    assert all(value == round(value, 6) for value in drawn.values())
    assert any(value != round(value, 5) for value in drawn.values())
    assert all(-SHARE <= value <= SHARE for value in drawn.values())


def test_only_links_with_a_delay_in_some_direction_change() -> None:
    """A link keeps its change when others come."""
    without, down = Shape(10.0, 0.0), Shape(10.0, 0.0, down=Shape(10.0, 3.0))
    both = Shape(10.0, 0.0, down=Shape(10.0, 0.0))
    shapes = {"a": Shape(10.0, 5.0), "b": without, "c": down, "d": both}
    drawn = perturbation.drawn(SHARE, shapes, (), seed=7)
    assert [*drawn] == ["a", "c"]
    assert perturbation.drawn(SHARE, {"c": down}, (), seed=7) == {"c": drawn["c"]}
    assert perturbation.drawn(SHARE, {"c": down}, (), seed=8) != {"c": drawn["c"]}
    changed = perturbation.of_shapes(shapes, {"a": 1.0, "c": -2.0})
    assert (changed["a"].delay_ms, changed["b"]) == (5.05, without)
    assert changed["c"].down is not None and changed["c"].down.delay_ms == 2.94


def test_changes_of_other_quantities_stay() -> None:
    changes = {"path1": {"at": {"0 s": {"loss": "1 %"}, "5 s": {"loss": "2 %"}}}}
    job = plan(changes=changes, repetitions=PERTURB).runs[0].job
    (series,) = job.changes
    assert list(series.values) == [1.0, 2.0]


def test_a_jitter_as_long_as_the_delay_leaves_no_room() -> None:
    """A repetition with less delay would have packets that arrive before they left."""
    fixed = {"path1.delay": "5 ms", "path1.jitter": "5 ms"}
    with pytest.raises(UserError) as caught:
        plan(parameters=fixed, repetitions=PERTURB)
    (line,) = str(caught.value).splitlines()
    assert line.endswith(
        "parameters.path1.jitter: a repetition may have 0.5 % less delay, below this"
        " jitter; give less jitter"
    )


def test_the_schema_takes_both_forms() -> None:
    described = json_schema()["properties"]["repetitions"]
    forms = described["anyOf"]
    assert described["default"] == spec().repetitions.count == 1
    assert {"type": "integer", "minimum": 1, "maximum": 100_000} in forms
    assert loads(f"{TEXT}repetitions: 3\n").repetitions.count == 3
