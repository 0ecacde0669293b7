"""``mpbench list``: the names that an experiment file can use, with one line each."""

import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.spec.knobs import Knob

Entries = Iterator[tuple[str, str]]

WIDEST_NAME = 34
NARROWEST = 60
_END = re.compile(r"(?<!\bal)(?<!\bFig)(?<!\bFigs)(?<!\bsec)[.:] (?=[A-Z])")
"""The end of a sentence; `et al.`, `Fig.` and the like are none."""
NO_EXPERIMENTS = {"parts", "configurations"}
"""Folders whose files are parts of experiments."""


def _experiments() -> Entries:
    from mpbench.carried import EXPERIMENTS
    from mpbench.experiment_files import load

    for path in sorted(EXPERIMENTS.rglob("*.yaml")):
        if NO_EXPERIMENTS & set(path.parts):
            continue
        try:
            spec = load(path)
        except UserError:
            continue
        words = [spec.source or "", _first_sentence(spec.description or "")]
        name = path.relative_to(EXPERIMENTS.parent).as_posix()
        yield name, ". ".join(word for word in words if word)


def _topologies() -> Entries:
    from mpbench.spec import builtin
    from topologies.families import EXAMPLES

    for name in (*builtin.names(), *EXAMPLES):
        yield name, _first_sentence(builtin.summary(name))


def _quantities() -> Entries:
    from analysis.run.quantities import QUANTITIES

    for name, quantity in QUANTITIES.items():
        yield name, quantity.label


def _figures() -> Entries:
    from analysis.figures.registry import KINDS

    for name, kind in KINDS.items():
        yield name, kind.summary


def _summaries(table: str, kind: str = "") -> Callable[[], Entries]:
    """The entries of a table of `mpbench.spec.summaries`.

    kind : the key of a case whose names have parameters
    """

    def entries() -> Entries:
        from mpbench.spec import knobs, summaries

        lines: Mapping[str, str] = getattr(summaries, table)
        for name, line in lines.items():
            known = knobs.KINDS.get(kind, {}).get(name, {})
            given = ", ".join(_parameter(key, knob) for key, knob in known.items())
            yield name, f"{line}; parameters: {given}" if given else line

    return entries


def _parameter(name: str, knob: "Knob") -> str:
    """`alpha (1 to 10)`."""
    if knob.choices:
        return f"{name} ({' or '.join(knob.choices)})"
    return (
        f"{name} (true or false)"
        if knob.switch
        else (f"{name} ({knob.low:g} to {knob.high:g})")
    )


@dataclass(frozen=True)
class Kind:
    """One list.

    use : where in an experiment file its names stand
    page : the page of the documentation that says more
    """

    use: str
    page: str
    entries: Callable[[], Entries]


KINDS: Mapping[str, Kind] = {
    "experiments": Kind(
        "files that `mpbench run` takes", "docs/experiment-file.md", _experiments
    ),
    "topologies": Kind("topology:", "docs/topologies.md", _topologies),
    "controllers": Kind(
        "congestion_control: of a case",
        "docs/controllers.md",
        _summaries("CONGESTION_CONTROLS", "congestion_control"),
    ),
    "schedulers": Kind(
        "scheduler: of a case",
        "docs/controllers.md",
        _summaries("SCHEDULERS", "scheduler"),
    ),
    "path-managers": Kind(
        "path_manager: of a case",
        "docs/keys.md",
        _summaries("PATH_MANAGERS", "path_manager"),
    ),
    "tools": Kind(
        "tool: of a traffic entry", "docs/traffic-tools.md", _summaries("TOOLS")
    ),
    "metrics": Kind(
        "metrics:, and metric: of a figure", "docs/metrics.md", _summaries("METRICS")
    ),
    "designs": Kind("method: of a design", "docs/wsp.md", _summaries("DESIGN_METHODS")),
    "figures": Kind("kind: of a figure", "docs/figures.md", _figures),
    "quantities": Kind("quantity: of a figure over time", "docs/keys.md", _quantities),
}


@click.command("list")
@click.argument("kinds", nargs=-1, type=click.Choice(list(KINDS)), metavar="[KIND]...")
def command(kinds: tuple[str, ...]) -> None:
    """List what an experiment file can name, with one line each.

    KIND is one or more of: experiments, topologies, controllers, schedulers,
    path-managers, tools, metrics, designs, figures, quantities. Without KIND all are
    listed.
    """
    columns = max(NARROWEST, shutil.get_terminal_size().columns)
    for number, name in enumerate(kinds or KINDS):
        kind = KINDS[name]
        if number:
            click.echo()
        click.echo(click.style(name, bold=True) + f"  ({kind.use}; {kind.page})")
        for line in _table(list(kind.entries()), columns):
            click.echo(line)


def _table(entries: list[tuple[str, str]], columns: int) -> Iterator[str]:
    """Names on the left, wrapped lines on the right; a long name has its own line."""
    widest = max((len(name) for name, _ in entries), default=0)
    width = min(widest, WIDEST_NAME)
    indent = " " * (width + 4)
    for name, words in entries:
        wrapped = textwrap.wrap(words, columns - len(indent)) or [""]
        if len(name) > width:
            yield f"  {name}"
            name = ""
        yield f"  {name:{width}}  {wrapped[0]}".rstrip()
        yield from (indent + line for line in wrapped[1:])


def _first_sentence(text: str) -> str:
    """The first sentence, in one line, without its full stop."""
    paragraph = text.strip().split("\n\n", maxsplit=1)[0]
    line = " ".join(paragraph.split())
    end = _END.search(line)
    return line[: end.start() if end else None].rstrip(".:")
