"""One record per kind of figure: own keys, own folder, values before pictures."""

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

from analysis.campaign.figure_request import Criterion, Labels, Span, Theory
from analysis.figures.kinds.line.request import Line
from analysis.figures.kinds.over_time.request import OverTime
from analysis.figures.registry import KINDS
from mpbench.spec.figures import Figure
from tests.layers import ROOT, imports, modules

KNOWN = modules(["analysis", "jobs", "tools", "topologies", "wsp"])
FOLDERS = ROOT / "analysis/figures/kinds"


def test_every_kind_is_a_folder_of_its_name() -> None:
    folders = {path.parent.name for path in FOLDERS.glob("*/request.py")}
    assert folders == set(KINDS)
    for name, record in KINDS.items():
        files = {path.name for path in (FOLDERS / name).glob("*.py")}
        assert {"request.py", "data.py"} <= files
        assert ("drawing.py" in files) == (record.formats != ())


def test_a_file_can_have_the_keys_of_the_records_and_no_others() -> None:
    keys = {key for kind in KINDS.values() for key in (*kind.needs(), *kind.may_have())}
    assert {*keys, "kind"} == set(Figure.model_fields)
    most = max(len(fields(kind)) for kind in KINDS.values())
    assert most < len(keys) / 2


def loaded(module: str, seen: set[str]) -> Iterator[str]:
    """A module and all modules of the product that it loads."""
    if module not in seen:
        seen.add(module)
        yield module
        text = KNOWN[module].read_text(encoding="utf-8")
        for name, _ in imports(module, text, KNOWN):
            yield from loaded(name, seen)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_computed_without_a_drawing_library(kind: str) -> None:
    for name in loaded(f"analysis.figures.kinds.{kind}.data", set()):
        text = KNOWN[name].read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) matplotlib", text, re.MULTILINE), name


def test_a_line_of_a_file_becomes_the_record_of_its_kind() -> None:
    figure = Figure.model_validate(
        {
            "kind": "line",
            "metric": "goodput",
            "by": "path1.loss",
            "labels": {"x": "loss"},
            "theory": ["max_min", {"model": "fluid", "rtt": "10 ms"}],
            "after": "Fig. 1",
        }
    )
    assert figure.request == Line(
        metric="goodput",
        by="path1.loss",
        labels=Labels("loss"),
        theory=(Theory("max_min"), Theory("fluid", rtt=0.01)),
        after="Fig. 1",
    )
    timed = {"kind": "over_time", "quantities": ["cwnd"], "span": "1 s..4 s"}
    request = Figure.model_validate(timed).request
    assert request == OverTime(quantities=("cwnd",), span=Span(1.0, 4.0))
    box = {"kind": "box", "metric": "jain", "criterion": {"factor": "loss"}}
    asked = Figure.model_validate(box).request
    assert getattr(asked, "criterion") == Criterion("loss", "absolute")  # noqa: B009
