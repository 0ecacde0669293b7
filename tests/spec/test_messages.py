"""For mistakes that users make: the suggestion that helps, and no misleading one."""

import re

import pytest
from click.testing import CliRunner

import tools
from analysis.figures.registry import KINDS
from analysis.run.quantities import QUANTITIES
from mpbench.cli import group
from mpbench.spec import vocabulary
from mpbench.spec.builtin import describe, names
from mpbench.spec.cases import Case
from mpbench.spec.design import Design
from mpbench.spec.experiment import Spec
from mpbench.spec.figures import Figure
from mpbench.spec.own_metrics import MetricName
from mpbench.spec.own_series import QuantityName
from mpbench.spec.suggestions import (
    FIRST_LISTED,
    MOST_LISTED,
    SYNONYMS,
    listed,
    suggestion,
)
from mpbench.spec.values import COMMANDS, OneOf
from mpbench.spec.vocabulary import METRICS
from tests.spec.files import FACTORS, FLOW, TEXT, faults, swapped

OF_PROGRAMS = [name for name in tools.NAMES if tools.has_part(name, "columns")]
CAPACITY = "{min: 1, max: 100, unit: Mbit/s}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            swapped(FACTORS, "    path1.loss: [0.005]\n"),
            "path1.loss[0]: 0.005 has no unit; write '0.5 %' if it is a fraction,"
            " else '0.005 %'",
        ),
        (TEXT + "trace: 10\n", "trace: 10 has no unit; write '10 ms'"),
        (TEXT + "trace: 0.1\n", "trace: 0.1 has no unit; write '0.1 s'"),
        (
            swapped(CAPACITY, "{min: 1 Mbit/s, max: 10M}"),
            "unknown unit 'M'; did you mean 'Mbit/s'?",
        ),
        (
            swapped("duration: 30 s", "size: 10M"),
            "unknown unit 'M'; did you mean 'MB'?",
        ),
        (
            swapped("path2.delay", "path1.rtt"),
            "did you mean 'path1.delay'? It is the delay in one direction, half of",
        ),
        (swapped("path2.delay", "path1.bw"), "did you mean 'path1.capacity'?"),
        (TEXT + "seeds: 5\n", "seeds: unknown key; did you mean 'repetitions'?"),
        (
            swapped("congestion_control: lia", "cc: lia"),
            "cases.mptcp.cc: unknown key; did you mean 'congestion_control'?",
        ),
        (
            TEXT + "metrics: [throughput]\n",
            "did you mean 'goodput'? (`mpbench list metrics` shows",
        ),
        (
            TEXT + "metrics: [rtt]\n",
            "did you mean 'smoothed_rtt'? (`mpbench list metrics` shows",
        ),
        (
            TEXT + "metrics: [fct]\n",
            "did you mean 'completion_time'? (`mpbench list metrics` shows",
        ),
        (
            swapped(FLOW, FLOW.replace("  - ", "    ")),
            "12: traffic: expected a list; begin each entry with '- ', such as - {",
        ),
        (
            swapped(FLOW, "  tool: iperf3\n  from: client\n"),
            "12: traffic: expected a list; begin each entry with '- '",
        ),
        (TEXT + "metrics: jain\n", "metrics: expected a list; write [jain]"),
        (
            swapped("points: 4", "points: 4\n  constraints: [path2.delay <= 0.5s]"),
            "'0.5s' has a unit, but a constraint has plain numbers (path2.delay in ms);"
            " write 'path2.delay <= 500'",
        ),
        (
            swapped("points: 4", 'points: 4\n  constraints: ["path1.loss < 1 %"]'),
            "write 'path1.loss < 1'",
        ),
        (
            swapped("  points: 4\n  factors:\n", "  factors:\n    points: 4\n"),
            "5: design.factors.points: a key of the design, not a parameter; indent it",
        ),
        (
            swapped("  points: 4\n", "").replace("cases:", "points: 4\ncases:"),
            "points: not a key here, but a key of 'design'; move it there",
        ),
        (
            swapped("  points: 4\n", "    points: 4\n"),
            "5: not YAML: this line is indented like no key above it; indent the keys",
        ),
        (
            swapped("  points: 4\n", " points: 4\n"),
            "5: not YAML: a ': ' stands inside a value; indent this line like the key",
        ),
        (
            swapped("duration: 30 s", "duration: 30 s, cc: lia"),
            "unknown key; write 'transport: {congestion_control: ...}' with it",
        ),
        (
            swapped("duration: 30 s", "duration: 30 s, background: true"),
            "traffic[0].background: unknown key; known: ",
        ),
        (
            TEXT + "path1.delay: 3 ms\n",
            "not a key here; parameters stand below 'parameters:', or below 'factors:'",
        ),
    ],
)
def test_what_is_offered(text: str, message: str) -> None:
    found = faults(text)
    assert any(message in line for line in found), found


def names_in_use() -> set[str]:
    """All keys, choices and the last parts of parameters of experiment files."""
    entries = (tools.part(name, "keys").MODEL for name in tools.NAMES)
    models = (Spec, Design, Case, Figure, *entries)
    keys = {
        field.alias or name
        for model in models
        for name, field in model.model_fields.items()
    }
    choices = [value for value in vars(vocabulary).values() if isinstance(value, tuple)]
    parameters = (p for name in names() for p in describe(name).parameters)
    columns = [tools.part(name, "columns").LABELS for name in OF_PROGRAMS]
    return keys.union(
        *choices,
        *columns,
        QUANTITIES,
        KINDS,
        (p.name.split(".")[1] for p in parameters),
    )


def test_what_a_synonym_stands_for_exists() -> None:
    meant = {name for synonyms in SYNONYMS.values() for name in synonyms}
    assert meant <= names_in_use()


def test_the_keys_of_a_design() -> None:
    assert tuple(Design.model_fields) == vocabulary.DESIGN_KEYS


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("latency", "smoothed_rtt"),
        ("rtt", "smoothed_rtt"),
        ("ping", "smoothed_rtt"),
        ("delay", "smoothed_rtt"),
        ("owd", "message_delay"),
        ("jitter", "message_delay_p95"),
        ("throughput", "goodput"),
        ("bandwidth", "goodput"),
        ("fct", "completion_time"),
        ("loss", "loss_probability"),
        ("drops", "loss_probability"),
        ("fairness", "jain"),
        ("outage", "interruption"),
        ("plt", "page.load_time_s"),
        ("page_load_time", "page.load_time_s"),
        ("stalls", "video.stalls"),
    ],
)
def test_the_metric_that_a_word_of_the_field_means(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"did you mean '{meant}'?")):
        MetricName().check(name)


@pytest.mark.parametrize("name", ["latency", "rtt", "delay", "ping"])
def test_the_quantity_over_time_that_a_word_means(name: str) -> None:
    with pytest.raises(ValueError, match="did you mean 'srtt'"):
        QuantityName().check(name)


@pytest.mark.parametrize("key", ["scale", "yscale", "log_scale"])
def test_the_key_of_logarithmic_axes_is_offered_with_its_values(key: str) -> None:
    figure = f"{{kind: trade_off, metric: goodput, against: jain, {key}: log}}"
    (found,) = faults(f"{TEXT}figures: [{figure}]\n")
    assert found.endswith(
        f".{key}: unknown key; write 'log: x', 'log: y' or 'log: both'"
    )


@pytest.mark.parametrize(
    ("name", "choices", "expected"),
    [
        ("path1.latency", ["path1.loss", "path1.delay"], "path1.delay"),
        ("capcity", ["jitter", "capacity"], "capacity"),
        ("xyz", ["capacity"], None),
        ("x" * 1000, ["x" * 999], None),
        ("a", [], None),
    ],
)
def test_suggestions(name: str, choices: list[str], expected: str | None) -> None:
    assert suggestion(name, choices) == expected


def test_a_long_list_of_names_is_cut_and_says_where_the_rest_is() -> None:
    rest = len(METRICS) - FIRST_LISTED
    with pytest.raises(ValueError, match="unknown metric") as refused:
        OneOf("metric", METRICS).check("nothing-like-it")
    assert str(refused.value).endswith(
        f"{METRICS[FIRST_LISTED - 1]} and {rest} more, which `mpbench list metrics`"
        " shows"
    )
    with pytest.raises(ValueError, match="unknown metric") as refused:
        OneOf("metric", METRICS).check("godput")
    assert str(refused.value) == (
        "unknown metric 'godput'; did you mean 'goodput'? (`mpbench list metrics`"
        " shows all)"
    )


@pytest.mark.parametrize("command", COMMANDS.values())
def test_each_command_that_a_message_names_lists_something(command: str) -> None:
    program, *words = command.split()
    assert program == "mpbench"
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0
    assert len(done.output.splitlines()) > 3


@pytest.mark.parametrize("count", [1, MOST_LISTED, MOST_LISTED + 1, 100])
def test_listed_names(count: int) -> None:
    names = [f"n{number}" for number in range(count)]
    said = listed(names)
    if count <= MOST_LISTED:
        assert said == ", ".join(names)
    else:
        assert (
            said == f"{', '.join(names[:FIRST_LISTED])} and {count - FIRST_LISTED} more"
        )
