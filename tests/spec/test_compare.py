"""The question of an experiment file: its forms, its faults, and the plan's words."""

from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from mpbench.commands import plan
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan, question
from mpbench.spec import Spec, compare, compare_checks
from mpbench.spec.json_schema import json_schema
from tests.spec.files import factors, spec, text

BOTH = {"goodput": "more", "smoothed_rtt": "less"}
LOSSY = {"path1.loss": "1 %"}


@pytest.mark.parametrize(
    "better",
    [
        BOTH,
        [{"goodput": "more"}, {"smoothed_rtt": "less"}],
        [{"goodput": "more", "smoothed_rtt": "less"}],
        ["goodput", "smoothed_rtt"],
        ["goodput", {"smoothed_rtt": "less"}],
    ],
)
def test_every_form_is_one_question(better: Any) -> None:
    asked = spec(compare={"baseline": "tcp2", "better": better}).question
    assert asked is not None and asked.asked
    assert (asked.baseline, dict(asked.better)) == ("tcp2", BOTH)
    assert asked.equal_within_percent == 2


def test_metrics_of_the_question_are_measured() -> None:
    made = spec(compare={"better": BOTH}, metrics=["jain"])
    assert made.metrics == ("jain", "goodput", "smoothed_rtt")
    assert made.trace_interval == 0.1
    phase = {"phases": {"late": "10 s..30 s"}, "compare": {"better": "late.jain"}}
    assert spec(**phase).metrics == ("goodput", "jain")


def test_the_usual_question_and_its_hash() -> None:
    plain = spec()
    assert plain.question is not None and not plain.question.asked
    assert plain.question.baseline == "mptcp" and plain.question.points == 4
    assert plain.digest != spec(compare={}).digest
    assert spec(compare={}).question == spec(compare={"better": ["goodput"]}).question
    one = {"mptcp": {"protocol": "mptcp", "congestion_control": "lia"}}
    assert spec(cases=one).question is None


@pytest.mark.parametrize(
    ("compare", "reason"),
    [
        ({"baseline": "tcp3"}, "compare.baseline: there is no case 'tcp3'; did you"),
        ({"better": {"goodputs": "more"}}, "did you mean 'goodput'?"),
        ({"better": {"delay": "less"}}, "did you mean 'smoothed_rtt'?"),
        ({"better": {"goodput": "up"}}, "unknown direction 'up'; known: more, less"),
        ({"better": ["traffic_split"]}, "write 'traffic_split: more'"),
        ({"better": []}, "compare.better: empty; give at least one"),
        ({"better": 7}, "write {goodput: more}"),
        ({"better": [["goodput"]]}, "write {goodput: more}"),
        ({"better": ["jain", "jain"]}, "'jain' comes twice; take one away"),
        ({"equal_within": 2}, "2 has no unit; write '2 %'"),
        ({"equal_within": "101 %"}, "not within 0 to 100"),
        ({"better": "late.goodput"}, "add 'phases: {late: 5 s..10 s}'"),
        ({"limits": {"goodputs": "1 %"}}, "did you mean 'goodput'?"),
        ({"limits": {"goodput": 1}}, "limits.goodput: 1 has no unit; write '1 %'"),
        ({"limits": {"goodput": "-1 %"}}, "-1 % is not within 0 to 100"),
        ({"limits": {"goodput": "1 s"}}, "compare.limits.goodput: "),
        ({"limits": ["goodput"]}, "write {goodput: 1 %}"),
        ({"limits": {}}, "write {goodput: 1 %}"),
        ({"limits": {"traffic_split": "1 %"}}, "more or less of it is"),
        ({"limits": {"late.goodput": "1 %"}}, "add 'phases: {late: 5 s..10 s}'"),
        ({"basline": "tcp1"}, "did you mean 'baseline'?"),
    ],
)
def test_a_bad_question_is_one_line(compare: Any, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text(compare=compare), "f.yaml")
    [line] = str(caught.value).splitlines()
    assert line.startswith("f.yaml:") and reason in line.replace(
        "say whether more or less is better: ", "write "
    )


def test_limits_enter_the_hash_only_where_they_are_stated() -> None:
    stated = spec(compare={"limits": {"smoothed_rtt": "2.5 %"}})
    assert stated.compare is not None
    assert stated.compare.limits == {"smoothed_rtt": 2.5}
    assert "smoothed_rtt" in stated.metrics
    assert "limits" not in spec(compare={}).model_dump()["compare"]


def test_a_metric_of_no_phase_names_the_nearest() -> None:
    wrong = {"phases": {"late": "10 s..30 s"}, "compare": {"better": "lat.goodput"}}
    with pytest.raises(UserError, match=r"did you mean 'late\.goodput'"):
        spec(**wrong)


def test_one_case_is_nothing_to_compare() -> None:
    one = {"only": {"protocol": "mptcp", "congestion_control": "lia"}}
    with pytest.raises(UserError, match="there is one case, only, and a comparison"):
        spec(cases=one, compare={})


def test_two_cases_are_enough_to_compare() -> None:
    two = {
        name: {"protocol": "mptcp", "congestion_control": name}
        for name in ("lia", "olia")
    }
    assert spec(cases=two, compare={}).compare is not None


def test_the_kernel_of_mpbench_needs_no_name_to_be_compared_with() -> None:
    one = {"stock": {"lab": "none"}}
    delays = {"min": "1 ms", "max": "25 ms"}
    factor = factors(points=6, kernel=["own", "stock"], path2__delay=delays)
    cases = {"lia": {"protocol": "mptcp", "congestion_control": "cubic"}}
    given = {"kernels": one, "design": factor, "cases": cases}
    assert spec(**given, compare={"kernel": "own"}).compare is not None
    with pytest.raises(UserError, match="there is no kernel 'stok'; did you mean"):
        spec(**given, compare={"kernel": "stok"})


@pytest.mark.parametrize("better", [[], {}])
def test_an_editor_marks_a_question_without_a_metric(better: Any) -> None:
    document = yaml.safe_load(text(compare={"better": better}))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json_schema())
    document["compare"]["better"] = ["goodput"]
    jsonschema.validate(document, json_schema())


def told(made: Spec) -> list[str]:
    return list(question.warnings(made, make_plan(made, {})))


def test_networks_enough() -> None:
    delays = {"min": "1 ms", "max": "25 ms"}
    six = factors(points=6, path2__delay=delays)
    assert told(spec(compare={}, design=six)) == []
    five = factors(points=5, path2__delay=delays)
    [line] = told(spec(compare={}, design=five))
    assert "5 networks, and an interval needs 6; write points: 6" in line
    assert line.endswith("run with --points +1")
    assert told(spec(design=five)) == []  # nobody asked


def test_sizes_are_no_networks() -> None:
    sizes = {"traffic.size": ["8 kB", "64 kB", "1 MB"]}
    curl = [{"tool": "curl", "from": "client", "to": "server", "timeout": "5 s"}]
    design = factors(points=2, path2__delay={"min": "1 ms", "max": "25 ms"})
    assert isinstance(design, dict)
    design["factors"] |= sizes
    made = spec(compare={}, design=design, traffic=curl)
    assert question.networks(made, make_plan(made, {})) == 2
    grid = {"method": "grid", "factors": sizes}
    made = spec(compare={}, design=grid, traffic=curl)
    assert question.networks(made, make_plan(made, {})) == 1
    grid = {"method": "grid", "factors": {"path2.delay": ["1 ms", "2 ms"], **sizes}}
    [line] = told(spec(compare={}, design=grid, traffic=curl))
    assert "2 networks" in line and line.endswith("give the factors more values")


def test_one_network_needs_noise_and_repetitions() -> None:
    [line] = told(spec(compare={}, design=None, repetitions=6))
    assert "nothing in its runs draws from the seed" in line
    [line] = told(spec(compare={}, design=None, repetitions=5, parameters=LOSSY))
    assert "5 repetitions, and an interval needs 6; write repetitions: 6" in line
    assert told(spec(compare={}, design=None, repetitions=6, parameters=LOSSY)) == []


def test_plan_prints_the_question(tmp_path: Any) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text(compare={"better": BOTH}))
    shown = CliRunner().invoke(plan.command, ["--backend", "fake", str(path)])
    assert (
        "Question: do tcp1 and tcp2 have higher goodput and lower smoothed RTT than"
        " mptcp?"
        " Differences within 2 % count as none.\n"
    ) in shown.output
    assert "f.yaml:" in shown.output and "4 networks" in shown.output


@pytest.mark.parametrize(
    ("points", "method", "known"),
    [
        (5, "wsp", (5, False)),
        (5, "random", (None, False)),
        (None, "wsp", (None, False)),
    ],
)
def test_only_a_design_of_wsp_points_can_grow(
    points: int | None, method: str, known: tuple[int | None, bool]
) -> None:
    design: Any = SimpleNamespace(points=points, method=method, grown_from=None)
    assert compare_checks._points(design) == known
    assert compare_checks._points(None) == (None, False)


def test_the_schema_asks_for_at_least_one_limit() -> None:
    schema: dict[str, Any] = {}
    compare._limits_schema(schema)
    assert schema["minProperties"] == 1
