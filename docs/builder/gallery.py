"""The gallery of the documentation: every experiment file, with figure and cost.

It is made from `experiments/`, `studies/` and `results/` when the site is built, never
by hand.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import yaml

from mpbench.drawing.picture import of_experiment
from mpbench.drawing.svg import svg
from mpbench.engine.durations import span
from mpbench.experiment_files import load
from mpbench.plan import estimate, total
from mpbench.plan.jobs import job
from mpbench.plan.make import kept
from mpbench.plan.points import Point, points
from mpbench.spec import Spec

ROOT = Path(__file__).parents[2]
PARTS = ("parts", "configurations", "rows", "control")
"""Folders whose files are no experiments of their own: parts and controls of some, and
kept rows."""
FOLDERS = {
    ".": "To begin with",
    "examples": "Examples",
    "questions": "Questions from forums",
    "thesis": "MultiPath TCP Connections: Analysis and Models (thesis, 2017)",
    "olia": "OLIA (Khalili et al. 2013)",
    "balia": "Balia (Peng et al. 2016)",
    "nsdi11": "LIA (Wischik et al. 2011)",
    "mpcc": "MPCC (Gilad et al. 2020)",
    "causes": "Why results differ from published ones",
    "exploration": "Explorations",
    "explain": "Sentences of explain",
    "reach": "Networks that nobody printed",
    "rerun": "Again, with ten seeds instead of five",
    "networks": "Networks and designs",
}
"""Titles of the folders, in the order of the page; others follow by name."""
PICTURE = re.compile(r"!\[[^\]]*\]\((?!factors|cases-compared|answer)([\w.-]+\.png)\)")
"""A figure of a page that shows results; neither the spread of the factors nor the
differences of cases are one."""
ESTIMATED = 8
"""Points of a design whose runs are estimated: the others cost the same on average."""


@dataclass(frozen=True)
class Entry:
    """An experiment of the gallery.

    file : the experiment file, relative to the repository
    networks, runs : of its plan
    cost : about how long it takes on one core, in words
    figure : of the reference results; None for a drawing of the network
    drawing : of the network, SVG
    """

    file: Path
    spec: Spec
    networks: int
    runs: int
    cost: str
    figure: Path | None
    drawing: str

    @property
    def folder(self) -> str:
        parts = self.file.parts[1:-1]
        return parts[0] if parts else "."

    @property
    def picture(self) -> str:
        """The picture's path in the site."""
        suffix = self.figure.suffix if self.figure else ".svg"
        return f"gallery/{'-'.join(self.file.with_suffix('').parts[1:])}{suffix}"

    @property
    def copy(self) -> str:
        """The experiment file's path in the site."""
        return in_site(self.file)


def in_site(file: Path) -> str:
    """The path in the site of an experiment file, given relative to the repository."""
    return f"gallery/{'/'.join(file.parts[1:])}"


def path_in_site(path: Path) -> str | None:
    """The path in the site of a file of the repository, if the gallery has it."""
    return in_site(path.relative_to(ROOT)) if path in _files() else None


@functools.cache
def _files() -> frozenset[Path]:
    return frozenset(files())


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Every experiment file of the repository. Raises UserError for a damaged one."""
    pages = _pages_by_campaign()
    found = []
    for path in files():
        spec = load(path)
        whole = points(spec)
        chosen = kept(spec, whole)
        found.append(
            Entry(
                file=path.relative_to(ROOT),
                spec=spec,
                networks=len(chosen),
                runs=len(chosen) * len(spec.cases) * spec.repetitions.count,
                cost=span(wall_s(spec, chosen, len(whole))),
                figure=_figure(spec.name, pages),
                drawing=svg(of_experiment(spec)),
            )
        )
    return tuple(found)


def wall_s(spec: Spec, chosen: dict[int, Point], whole: int) -> float:
    """Seconds that all runs take on one core, from the runs of at most `ESTIMATED`
    points.

    chosen : the points that are executed, by their numbers
    whole : points of the design
    """
    numbers = list(chosen)[:: -(-len(chosen) // ESTIMATED)]
    some = total(
        estimate(job(spec, chosen[n], case, 0, n if whole > 1 else None))
        for n in numbers
        for case in spec.cases
    )
    return some.wall_s * spec.repetitions.count * len(chosen) / len(numbers)


def files() -> list[Path]:
    """The experiment files of users and of the study of the papers."""
    found = [
        path
        for folder in ("experiments", "studies")
        for path in sorted((ROOT / folder).rglob("*.yaml"))
    ]
    return [p for p in found if not set(p.relative_to(ROOT).parts) & set(PARTS)]


def _pages_by_campaign() -> dict[str, Path]:
    """The page of the thesis's reference results that shows a campaign first."""
    text = (ROOT / "results/published/thesis-pages.yaml").read_text(encoding="utf-8")
    pages: dict[str, Path] = {}
    for name, page in yaml.safe_load(text)["pages"].items():
        for campaign in page.get("campaigns", ()):
            file = ROOT / "results/reference/thesis" / f"{name}.md"
            pages.setdefault(campaign, file)
    return pages


def _figure(name: str, pages: dict[str, Path]) -> Path | None:
    """The first figure of a campaign's page of reference results, or the one of that
    name in the documentation."""
    places = [ROOT / "results/reference" / name / "README.md", pages.get(name)]
    for page in places:
        if page is None or not page.is_file():
            continue
        for found in PICTURE.finditer(page.read_text(encoding="utf-8")):
            picture = page.parent / found[1]
            if picture.is_file():
                return picture
    own = ROOT / f"docs/images/{name}.png"
    return own if own.is_file() else None


def page(found: Sequence[Entry]) -> str:
    """The gallery in Markdown."""
    return "\n".join(_lines(found)).rstrip() + "\n"


def _lines(found: Sequence[Entry]) -> Iterator[str]:
    runs = sum(entry.runs for entry in found)
    yield "# Gallery"
    yield ""
    yield (
        f"The repository has {len(found)} experiment files, with {runs} runs in all."
        " Each has a figure of its results, or a drawing of its network where there are"
        " none. The time is an estimate for one core, before any run."
    )
    yield ""
    others = sorted({entry.folder for entry in found} - set(FOLDERS))
    for folder in (*FOLDERS, *others):
        here = [entry for entry in found if entry.folder == folder]
        if not here:
            continue
        yield f"## {FOLDERS.get(folder, folder)}"
        yield ""
        for entry in here:
            yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    spec = entry.spec
    yield f"### {entry.file.stem}"
    yield ""
    what = "A figure of" if entry.figure else "The network of"
    yield f"[![{what} {entry.file.stem}]({entry.picture})]({entry.picture})"
    yield ""
    for text in (spec.description, spec.source and f"After {spec.source}."):
        if text:
            yield escape(" ".join(text.split()), quote=False)
            yield ""
    networks = f"{entry.networks} network{'' if entry.networks == 1 else 's'}"
    yield (
        f"[{entry.file}]({entry.copy}): {networks}, {entry.runs} runs, about"
        f" {entry.cost}."
    )
    yield ""
    yield f"    mpbench run {entry.file}"
    yield ""
