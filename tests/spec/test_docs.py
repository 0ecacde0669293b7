"""docs/experiment-file.md says all keys, choices and defaults, and no others."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from mpbench import units
from mpbench.plan import make_plan
from mpbench.spec import Spec, knobs, known, loads
from mpbench.spec.cases import Case
from mpbench.spec.design import Design
from mpbench.spec.factors import Factor
from mpbench.spec.figures import Criterion, Figure
from mpbench.spec.traffic import Read, Traffic
from tests.spec.files import TEXT
from topologies import describe

PAGE = Path(__file__).parents[2] / "docs" / "experiment-file.md"
TABLE_OF = {
    Spec: ("Top level", 0),
    Design: ("Design", 0),
    Factor: ("Design", 1),
    Case: ("Cases", 0),
    Traffic: ("Traffic", 0),
    Read: ("Traffic", 1),
    Figure: ("Figures", 0),
    Criterion: ("Figures", 1),
}
CHOICES = {
    "Design": (known.DESIGN_METHODS, known.CANDIDATE_SETS, known.DISTANCES),
    "Cases": (
        known.PROTOCOLS,
        known.CONGESTION_CONTROLS,
        known.SCHEDULERS,
        known.PATH_MANAGERS,
    ),
    "Traffic": (known.TOOLS, known.READ_MODES),
    "Figures": (known.FIGURE_KINDS, known.DIFFERENCES),
}


def section(title: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def table(title: str, number: int) -> dict[str, list[str]]:
    """The rows of a section's table by what their first cell has in backticks."""
    tables = re.findall(r"(?:^\|.*\n)+", section(title) + "\n", re.MULTILINE)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in tables[number].splitlines()[2:]
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_every_key_and_no_other(model: type[BaseModel]) -> None:
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert set(table(*TABLE_OF[model])) == keys


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_required_keys_and_defaults(model: type[BaseModel]) -> None:
    rows = table(*TABLE_OF[model])
    for name, field in model.model_fields.items():
        said = rows[field.alias or name][-1]
        if field.is_required():
            assert said == "must be said", name
        elif isinstance(field.default, bool | int | float | str):
            assert same(said.strip("`"), field.default), name


def same(said: str, default: Any) -> bool:
    if isinstance(default, bool):
        return said == str(default).lower()
    if isinstance(default, float):
        return units.parse(said, "s") == default
    return said == str(default)


@pytest.mark.parametrize("title", CHOICES)
def test_every_choice(title: str) -> None:
    text = section(title)
    for choices in CHOICES[title]:
        for choice in choices:
            assert f"`{choice}`" in text


def test_every_parameter_of_a_case() -> None:
    text = section("Cases").split("| of | parameter |", 1)[1]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    said = {
        (name.strip("` "), row[1].strip("`")): row[2]
        for row in rows
        if len(row) == 5 and row[1].startswith("`")
        for name in row[0].split(",")
    }
    for names in knobs.KINDS.values():
        for name, parameters in names.items():
            for key, knob in parameters.items():
                limits = said.get((name, key)) or said[("all of ours", key)]
                if not knob.choices and not knob.switch:
                    low, high = map(float, limits.split(" to "))
                    assert (low, high) == (knob.low, knob.high), (name, key)


def test_every_metric() -> None:
    assert tuple(table("Metrics", 0)) == known.METRICS


def test_parameters_of_two_path() -> None:
    rows = table("Parameters of `two_path`", 0)
    wanted = [p for p in describe("two_path").parameters if p.name.startswith("path1")]
    assert list(rows) == [p.name for p in wanted]
    for parameter in wanted:
        unit, limits, default, _ = rows[parameter.name]
        assert unit == parameter.unit
        low, high = map(float, limits.split(" to "))
        assert (low, high) == (parameter.minimum, parameter.maximum)
        said = "not set" if parameter.default is None else f"{parameter.default:g}"
        assert default == said


def test_the_job() -> None:
    rows = table("What a run's job is", 0)
    job = make_plan(loads(TEXT), {}).runs[0].job
    assert set(rows) == set(job)
    for key in (*job["transport"], *job["traffic"][0]):
        assert f"`{key}`" in rows["transport"][0] + rows["traffic"][0]
    for key in job["parameters"]:
        assert f"`{key.replace('path2', 'path1')}`" in rows["parameters"][0]


def test_the_example_is_valid() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert loads(example).name == "bulk-low-bdp"
