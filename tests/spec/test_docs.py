"""docs/keys.md says all keys, choices and defaults, and no others."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import tools
from analysis.figures.registry import KINDS
from mpbench import units
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan
from mpbench.spec import Spec, knobs, vocabulary
from mpbench.spec.builtin import describe, names
from mpbench.spec.cases import Case
from mpbench.spec.changes import LinkChanges, Step
from mpbench.spec.compare import Compare
from mpbench.spec.design import Design
from mpbench.spec.factors import Factor
from mpbench.spec.figures import Criterion, Figure
from mpbench.spec.flow_sizes import Sizes
from mpbench.spec.network_links import NetworkLink
from mpbench.spec.network_users import NetworkUser
from mpbench.spec.networks import Network
from mpbench.spec.repetitions import Perturb, Repetitions
from mpbench.spec.theory import Theory
from mpbench.spec.traffic import Entry, Read, Start
from mpbench.spec.values import Part
from topologies import chains, resolve, wire
from topologies.shaping import link_shape

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"
FILES = ("lte.trace", "wifi.up", "wifi.down")
"""Files that examples name."""
SECTIONS_WITHOUT_AN_EXAMPLE = {"Expressions"}
TABLE_OF: dict[type[BaseModel], tuple[str, int]] = {
    Spec: ("Top level", 0),
    NetworkLink: ("Networks", 0),
    NetworkUser: ("Networks", 1),
    Repetitions: ("Repetitions", 0),
    Perturb: ("Repetitions", 1),
    Design: ("Design", 0),
    Factor: ("Design", 1),
    Case: ("Cases", 0),
    Compare: ("Compare", 0),
    Entry: ("Traffic", 0),
    Start: ("Traffic", 1),
    Read: ("Bulk data: iperf3", 1),
    Sizes: ("Many connections", 1),
    Figure: ("Figures", 0),
    Criterion: ("Figures", 1),
    Theory: ("Figures", 2),
}
CHOICES = {
    "Design": (
        vocabulary.DESIGN_METHODS,
        vocabulary.CANDIDATE_SETS,
        vocabulary.DISTANCES,
        vocabulary.BOUNDARIES,
    ),
    "Cases": (
        vocabulary.PROTOCOLS,
        vocabulary.CONGESTION_CONTROLS,
        vocabulary.SCHEDULERS,
        vocabulary.PATH_MANAGERS,
    ),
    "Traffic": (vocabulary.TOOLS, vocabulary.READ_MODES),
    "Figures": (vocabulary.DIFFERENCES,),
}


TITLES = {"command": "Programs of your own", "flows": "Many connections"}
"""Sections of tools whose title does not end with the tool's name."""
IN_WORDS = ("Duration", "OwnRead")
"""Parts of tools that the tables have in the row of a key."""


def section(title: str) -> str:
    """A section, or a subsection, by its title."""
    page = PAGE.read_text(encoding="utf-8")
    head = re.search(rf"^(##+) {re.escape(title)}\n", page, re.MULTILINE)
    assert head, f"no section is called {title!r}"
    rest = page[head.end() :]
    return re.split(rf"^#{{2,{len(head[1])}}} ", rest, flags=re.MULTILINE)[0]


def rows_of(title: str, number: int) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in tables(title)[number].splitlines()[2:]
    ]


def tables(title: str) -> list[str]:
    return re.findall(r"(?:^\|.*\n)+", section(title) + "\n", re.MULTILINE)


def table(title: str, number: int) -> dict[str, list[str]]:
    """The rows of a section's table by what their first cell has in backticks."""
    return {row[0].strip("`"): row[1:] for row in rows_of(title, number)}


def own(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The keys of a model, but those that stand in the table of every tool's."""
    common = set(Entry.model_fields) if model is not Entry else set()
    inherited = common if issubclass(model, Entry) else set()
    return [pair for pair in model.model_fields.items() if pair[0] not in inherited]


def title_of(tool: str) -> str:
    """The title of a tool's section."""
    titles = re.findall(r"^### (.*)$", section("Traffic"), re.MULTILINE)
    own = [title for title in titles if title.endswith(f": {tool}")]
    return TITLES.get(tool) or (own or [f"...: {tool}"])[0]


def models_of(tool: str) -> list[type[BaseModel]]:
    """The entry of a tool, and the parts of an entry that have keys of their own."""
    keys = tools.part(tool, "keys")
    parts = [
        value
        for name, value in vars(keys).items()
        if isinstance(value, type) and issubclass(value, Part) and name not in IN_WORDS
    ]
    return [each for each in parts if each.__module__ == keys.__name__]


def nearest(model: type[BaseModel], title: str) -> int:
    """The number of the table that has most of a model's keys."""
    keys = {field.alias or name for name, field in own(model)}
    numbers = range(len(tables(title)))
    return max(numbers, key=lambda number: len(keys & {*table(title, number)}))


for tool in tools.NAMES:
    for model in models_of(tool):
        TABLE_OF[model] = title_of(tool), nearest(model, title_of(tool))


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_every_key_and_no_other(model: type[BaseModel]) -> None:
    assert set(table(*TABLE_OF[model])) == {f.alias or n for n, f in own(model)}


@pytest.mark.parametrize("model", TABLE_OF, ids=lambda model: model.__name__)
def test_required_keys_and_defaults(model: type[BaseModel]) -> None:
    rows = table(*TABLE_OF[model])
    for name, field in own(model):
        said = rows[field.alias or name][-1]
        if field.is_required():
            assert said == "required", name
        elif isinstance(field.default, bool | int | float | str):
            assert same(said.strip("`"), field.default), name


def same(said: str, default: Any) -> bool:
    if isinstance(default, bool):
        return said == str(default).lower()
    if isinstance(default, float):
        unit = "%" if said.endswith("%") else "bytes" if said.endswith("B") else "s"
        return units.parse(said, unit) == default
    return said == str(default)


@pytest.mark.parametrize("title", CHOICES)
def test_every_choice(title: str) -> None:
    text = section(title)
    for choices in CHOICES[title]:
        for choice in choices:
            assert f"`{choice}`" in text


def parameters_of_mpcc() -> dict[tuple[str, str], str]:
    """The ranges of MPCC's parameters, which have a page of their own."""
    page = PAGE.with_name("mpcc.md").read_text(encoding="utf-8")
    text = page.split("## Parameters", 1)[1].split("## Why these", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", text, re.MULTILINE)
    return {("mpcc", name): limits for name, limits in rows}


def test_every_parameter_of_a_case() -> None:
    text = section("Cases").split("| of | parameter |", 1)[1]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    said = {
        (name.strip("` "), key.strip("` ")): row[2]
        for row in rows
        if len(row) == 5 and row[1].startswith("`")
        for name in row[0].split(",")
        for key in row[1].split(",")
    }
    said |= parameters_of_mpcc()
    for kinds in knobs.KINDS.values():
        for name, parameters in kinds.items():
            for key, knob in parameters.items():
                limits = said.get((name, key)) or said[("all of ours", key)]
                if not knob.choices and not knob.switch:
                    low, high = map(float, limits.split(" to "))
                    assert (low, high) == (knob.low, knob.high), (name, key)


def test_every_kind_of_figure_is_shown() -> None:
    page = PAGE.with_name("figures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^- {kind: (\w+)", page, re.MULTILINE)) == set(KINDS)


def test_every_metric_has_its_column_and_formula() -> None:
    from analysis.run.needs import METRIC_COLUMNS

    page = PAGE.with_name("metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `([\w.]+)` \| (.+) \|$", page, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(vocabulary.METRICS)
    for name, column, formula in rows:
        assert column == METRIC_COLUMNS.get(name, name)
        assert len(formula) > 20, name


def parts(text: str) -> list[str]:
    """Texts in backticks."""
    return re.findall("`([^`]*)`", text)


def test_every_topology_with_its_users_and_paths() -> None:
    rows = table("Topologies", 0)
    assert set(rows) == set(names())
    for name, (users, paths, _) in rows.items():
        description = describe(name)
        assert parts(users) == list(description.initiators)
        said = [[parts(path) for path in user.split(";")] for user in paths.split(". ")]
        meant = [[list(path) for path in user.paths] for user in description.users]
        assert said == meant


@pytest.mark.parametrize("name", names())
def test_every_parameter_of_a_topology(name: str) -> None:
    common = table("Topologies", 1)
    other = {
        parameter: cells
        for topology, *cells in rows_of("Topologies", 2)
        for parameter in parts(cells[0])
        if topology.strip("`") == name
    }
    for parameter in describe(name).parameters:
        _, _, what = parameter.name.partition(".")
        row = other.pop(parameter.name, None)
        unit, limits, default, *_ = row[1:] if row else common[f"LINK.{what}"]
        assert unit == parameter.unit
        low, high = map(float, limits.split(" to "))
        assert (low, high) == (parameter.minimum, parameter.maximum)
        said = "not set" if parameter.default is None else f"{parameter.default:g}"
        assert default == said, parameter.name
    assert not other


def test_every_key_of_changes() -> None:
    ranges = {"capacity", "delay", "queue", "loss"}
    assert set(table("Changes", 0)) == set(LinkChanges.model_fields) - ranges
    assert set(table("Changes", 1)) == set(Step.model_fields)


def examples() -> dict[str, str]:
    """The example of each section and subsection, by the section's title."""
    page = PAGE.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for part in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        title = part.split("\n", 1)[0]
        blocks = re.findall(r"```yaml\n(.*?)```", part, re.DOTALL)
        assert len(blocks) == (title not in SECTIONS_WITHOUT_AN_EXAMPLE), title
        found.update((title, block) for block in blocks)
    return found


@pytest.mark.parametrize(("title", "example"), examples().items())
def test_an_example_is_valid(title: str, example: str, tmp_path: Path) -> None:
    """With a name, a network, cases and traffic where it says nothing of them."""
    for name in FILES:
        lines = (f"{at_ms}\n" for at_ms in range(10, 40_000, 10))
        (tmp_path / name).write_text("".join(lines))
    said = yaml.safe_load(example)
    host = "client"
    if "network" in said:
        host = next(iter(said["network"]["users"]))
    rest = {
        "name": "example",
        "topology": "two_path",
        "cases": {"lia": {"protocol": "mptcp", "congestion_control": "lia"}},
        "traffic": [
            {"tool": "iperf3", "from": host, "to": server(host), "duration": "30 s"}
        ],
    }
    if "network" in said:
        del rest["topology"]
    more = {key: value for key, value in rest.items() if key not in said}
    file = tmp_path / "f.yaml"
    file.write_text(example + (yaml.safe_dump(more) if more else ""))
    assert make_plan(load(file), {}).runs


def server(host: str) -> str:
    return "server" if host == "client" else f"server_{host}"


def test_the_example_of_the_guide_is_valid() -> None:
    page = PAGE.with_name("experiment-file.md").read_text(encoding="utf-8")
    (whole,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    runs = make_plan(loads(whole), {}).runs
    assert "98 x 2 = 196 runs" in page and len(runs) == 196


WHOLE = ("name", "cases", "traffic")
"""Top-level keys of an example that is a whole experiment file."""
PATCH = "--- a/net/mptcp/pm.c\n+++ b/net/mptcp/pm.c\n@@ -1 +1 @@\n-a\n+b\n"


def whole_files() -> dict[str, str]:
    """Examples of all pages that are whole files and need no plug-in, by page."""
    found = {}
    for page in sorted(PAGE.parent.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
        for number, block in enumerate(blocks):
            keys = set(re.findall(r"^(\w+):", block, re.MULTILINE))
            if keys.issuperset(WHOLE) and not keys & {"plugins", "observed"}:
                found[f"{page.name} {number}"] = block
    return found


@pytest.mark.parametrize("example", whole_files().values(), ids=whole_files())
def test_a_whole_file_in_a_page_is_valid(example: str, tmp_path: Path) -> None:
    (tmp_path / "series").mkdir()
    (tmp_path / "series/0001.patch").write_text(PATCH)
    file = tmp_path / "f.yaml"
    file.write_text(example)
    assert make_plan(load(file), {}).runs


def test_the_networks_of_papers() -> None:
    page = PAGE.with_name("topologies.md").read_text(encoding="utf-8")
    networks = [
        Network.model_validate(yaml.safe_load(text))
        for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    ]
    assert len(networks) == 6
    for network in networks:
        description = network.description
        shapes = resolve(description, description.defaults())
        assert wire(description, shapes).links


def test_the_topology_of_the_page_on_adding_one() -> None:
    page = PAGE.with_name("topologies.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made: dict[str, Any] = {}
    head = (
        "from topologies.description import Description, User\n"
        "from topologies.parameters import link_parameters, users_parameter\n"
    )
    exec(head + code, made)
    description = made["DESCRIPTION"]
    shapes = {
        link: link_shape(description.defaults(), link) for link in description.all_links
    }
    wiring = chains.wire(description, shapes)
    assert [link.link for link in wiring.links] == ["link1"]
    assert set(wiring.ports) == {"left", "right", "server_left", "server_right"}
