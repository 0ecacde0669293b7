"""docs/experiment-file.md says all keys, choices and defaults, and no others."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mpbench import units
from mpbench.plan import make_plan
from mpbench.spec import Spec, known, loads
from mpbench.spec.cases import Case
from mpbench.spec.design import Design
from mpbench.spec.factors import Factor
from mpbench.spec.figures import Criterion, Figure
from mpbench.spec.traffic import Entry, Read, Traffic
from mpbench.spec.web import Download, Requests
from tests.spec.files import TEXT
from topologies import describe

PAGE = Path(__file__).parents[2] / "docs" / "experiment-file.md"
TABLE_OF = {
    Spec: ("Top level", 0),
    Design: ("Design", 0),
    Factor: ("Design", 1),
    Case: ("Cases", 0),
    Entry: ("Traffic", 0),
    Traffic: ("Traffic", 1),
    Download: ("Traffic", 2),
    Requests: ("Traffic", 3),
    Read: ("Traffic", 4),
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


def own(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The keys of a model, but those that stand in the table of every tool's."""
    common = set(Entry.model_fields) if model is not Entry else set()
    inherited = common if issubclass(model, Entry) else set()
    return [pair for pair in model.model_fields.items() if pair[0] not in inherited]


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_every_key_and_no_other(model: type[BaseModel]) -> None:
    assert set(table(*TABLE_OF[model])) == {f.alias or n for n, f in own(model)}


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_required_keys_and_defaults(model: type[BaseModel]) -> None:
    rows = table(*TABLE_OF[model])
    for name, field in own(model):
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


@pytest.mark.parametrize(
    "entry", ["curl, size: 1 MB", "ab, size: 1 kB, requests: 9", "ab, duration: 9 s"]
)
def test_entries_of_the_job(entry: str) -> None:
    said = table("What a run's job is", 0)["traffic"][0]
    more = "" if "size" in entry else ", size: 1 kB"
    text = TEXT.replace("iperf3", entry + more).replace(", duration: 30 s}", "}")
    for key in make_plan(loads(text), {}).runs[0].job["traffic"][0]:
        assert f"`{key}`" in said


def test_the_job() -> None:
    rows = table("What a run's job is", 0)
    job = make_plan(loads(TEXT), {}).runs[0].job
    assert set(rows) == set(job)
    for key in (*job["transport"], *job["traffic"][0]):
        assert f"`{key}`" in rows["transport"][0] + rows["traffic"][0]
    for key in job["parameters"]:
        assert f"`{key.replace('path2', 'path1')}`" in rows["parameters"][0]


def test_the_example_is_valid() -> None:
    whole, part = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert loads(whole).name == "bulk-low-bdp"
    head = (
        whole.split("design:")[0]
        + whole[whole.index("cases:") : whole.index("traffic:")]
    )
    assert len(make_plan(loads(head + part), {}).design) == 98 * 5
