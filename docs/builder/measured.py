"""The numbers and pictures of the documentation, written by the runs they come from.

    python -m docs.builder.measured [--check] [--runs build/docs-runs] [PAGE...]

executes the experiments that a page of docs/ names and writes what they give between
the marks of the page. With --check it writes nothing, and its exit status is 1 if a
number differs. These are the marks, HTML comments that no reader sees:

    <!-- run: experiments/networks/phone-handover.yaml -->
    <!-- run: half.yaml -->
        The experiment of the marks that follow: a file of the repository, or one that
        the page itself shows below its name.
    <!-- value: wifi.utilisation case=wifi as .1% -->50.4%<!-- end -->
        The median of a column over the runs that are ok, after a choice of rows.
        `goodput_mbps case=a / goodput_mbps case=b` is a ratio. A line does not begin
        with this mark, because Markdown would end the paragraph there.
    <!-- table: goodput_mbps utilisation by case as .3g -->
    <!-- end -->
        A Markdown table with the medians, one row per value of the column after `by`.
        A column of words has the different words.
    <!-- explained: goodput_mbps by case as .3g -->
    <!-- end -->
        The same with the sentences of `mpbench explain` as the last column.
    <!-- picture: over-time-goodput.png -->

    ![...](images/phone-handover.png)
        The picture below is that figure of `mpbench report`.
    <!-- bench: benchmarks.virtual_lab_speed --markdown -->
    <!-- end -->
        The Markdown that this module prints. Times differ from machine to machine, so
        --check leaves them as they are.
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

import mpbench
from analysis.run.explain import explain
from mpbench.errors import UserError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MARK = re.compile(
    r"<!-- (?P<run>run): (?P<file>[^>]+?) -->"
    r"|<!-- (?P<kind>value|table|explained): (?P<what>[^>]+?) -->"
    r"(?P<old>.*?)<!-- end -->"
    r"|<!-- (?P<bench>bench): (?P<module>[\w.]+)(?P<words>[^>]*?) -->"
    r"(?P<before>.*?)<!-- end -->"
    r"|<!-- (?P<picture>picture): (?P<figure>[\w.-]+) -->\n+"
    r"!\[[^\]]*\]\((?P<path>[^)]+)\)",
    re.DOTALL,
)
ENDED = (0, 1)
"""Exit statuses of a campaign that came to its end; 1: some runs are not ok."""
SAID = "explain"
"""The column of the sentences of `mpbench explain`."""
SHOWN = re.compile(r"^`([a-z/._-]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A file that a page shows: its name, and its text in the block that follows."""


@dataclass
class Page:
    """A page of the documentation, and the folder of its experiments' results."""

    path: Path
    runs: Path
    text: str = ""
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = self.text or self.path.read_text(encoding="utf-8")

    def where(self, offset: int) -> str:
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"

    def results(self, file: str) -> Path:
        """The results folder of an experiment."""
        return self.runs / Path(file).stem

    def table(self, file: str) -> pd.DataFrame:
        """The runs of an experiment that are ok."""
        if file not in self.tables:
            execute(self._experiment(file), self.results(file))
            self.tables[file] = mpbench.load(self.results(file)).ok
        return self.tables[file]

    def _experiment(self, file: str) -> Path:
        shown = dict(SHOWN.findall(self.text))
        if file not in shown:
            return ROOT / file
        folder = self.runs / f"{self.path.stem}.files"
        for name, text in shown.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder / file


def execute(experiment: Path, results: Path) -> None:
    """Execute an experiment, in which some runs may be invalid.

    Raises UserError if it was stopped or is no experiment.
    """
    words = [sys.executable, "-m", "mpbench.cli", "run", str(experiment)]
    done = subprocess.run([*words, "--out", str(results)], cwd=ROOT, check=False)
    if done.returncode not in ENDED:
        raise UserError(f"{experiment}: not executed whole; see {results}")


def named(file: str, page: Page) -> bool:
    """Whether an experiment of a mark is there."""
    return (ROOT / file).is_file() or file in dict(SHOWN.findall(page.text))


def filled(page: Page, benches: bool = False) -> str:
    """The page's text with all numbers as the runs give them.

    benches : whether benchmarks are measured again too

    Raises UserError, with file and line, for a mark that says nothing.
    """
    parts, at, file = [], 0, ""
    for mark in MARK.finditer(page.text):
        try:
            if mark["run"]:
                file = mark["file"]
                if not named(file, page):
                    raise UserError(
                        f"{file}: neither in the repository nor on the page"
                    )
            elif mark["bench"]:
                if benches:
                    parts.append(page.text[at : mark.start("before")])
                    parts.append(measured_again(mark["module"], mark["words"]))
                    at = mark.end("before")
            elif not file:
                raise UserError("no <!-- run: FILE --> comes before")
            elif mark["kind"]:
                runs = page.table(file)
                if mark["kind"] == "explained":
                    runs = explained(runs, page.results(file))
                new = value if mark["kind"] == "value" else table
                words = _with_sentences(mark["what"], mark["kind"])
                parts.append(page.text[at : mark.start("old")])
                parts.append(new(words, runs))
                at = mark.end("old")
        except UserError as error:
            raise UserError(f"{page.where(mark.start())}: {error}") from error
    return "".join([*parts, page.text[at:]])


def measured_again(module: str, words: str) -> str:
    """The text that a benchmark prints, between empty lines. Raises UserError if it
    fails."""
    command = [sys.executable, "-m", module, *shlex.split(words)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise UserError(f"{module}: {done.stderr.strip() or done.stdout.strip()}")
    return f"\n\n{done.stdout.strip()}\n\n"


def pictures(page: Page) -> Iterator[tuple[str, str, Path]]:
    """Each picture's experiment, the name of its figure, and its file."""
    file = ""
    for mark in MARK.finditer(page.text):
        file = mark["file"] or file
        if mark["picture"]:
            yield file, mark["figure"], page.path.parent / mark["path"]


def draw(page: Page) -> None:
    """Copy the figures that the page shows from the reports of its experiments.

    Raises UserError for a figure that a report has not.
    """
    for file, figure, target in pictures(page):
        page.table(file)
        report = page.results(file) / "report"
        if not (report / figure).is_file():
            words = ["report", str(page.results(file)), "--out", str(report)]
            done = [sys.executable, "-m", "mpbench.cli", *words]
            subprocess.run(done, cwd=ROOT, check=True)
        if not (report / figure).is_file():
            there = ", ".join(sorted(path.name for path in report.glob("*.png")))
            raise UserError(f"{page.path}: no figure {figure}; there are {there}")
        shutil.copyfile(report / figure, target)


def value(what: str, runs: pd.DataFrame) -> str:
    """`COLUMN [KEY=VALUE]... [/ COLUMN [KEY=VALUE]...] as FORMAT`, as text."""
    words, _, form = what.partition(" as ")
    first, slash, second = words.partition(" / ")
    found = _median(first, runs)
    return format(found / _median(second, runs) if slash else found, form)


def _median(words: str, runs: pd.DataFrame) -> float:
    column, *choices = shlex.split(words)
    chosen = runs
    for choice in choices:
        key, _, wanted = choice.partition("=")
        chosen = chosen[_column(key, chosen).map(lambda v, w=wanted: _same(v, w))]
    if chosen.empty:
        raise UserError(f"{' '.join(choices)}: no run that is ok")
    return float(_column(column, chosen).median())


def _same(value: object, wanted: str) -> bool:
    """Whether a cell is what a mark names; 4 is 4.0."""
    try:
        return float(str(value)) == float(wanted)
    except ValueError:
        return str(value) == wanted


def _column(name: str, runs: pd.DataFrame) -> "pd.Series[float]":
    if name not in runs:
        from mpbench.spec.suggestions import nearest

        raise UserError(
            f"{name}: no column; {nearest(name, [str(column) for column in runs])}"
        )
    return runs[name]


def table(what: str, runs: pd.DataFrame) -> str:
    """`COLUMN... by COLUMN as FORMAT`, as a Markdown table between empty lines."""
    words, _, form = what.partition(" as ")
    columns, _, by = words.partition(" by ")
    names = columns.split()
    lines = [f"| {by} | " + " | ".join(f"`{name}`" for name in names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for key in dict.fromkeys(_column(by, runs)):
        chosen = runs[runs[by] == key]
        cells = [_cell(_column(name, chosen), form) for name in names]
        lines.append(f"| {key} | " + " | ".join(cells) + " |")
    return "\n\n" + "\n".join(lines) + "\n\n"


def explained(runs: pd.DataFrame, results: Path) -> pd.DataFrame:
    """Runs with the sentences about each of them as a further column."""
    said = [
        "; ".join(found.sentence for found in explain(results / "runs" / str(run)))
        for run in runs["id"]
    ]
    return runs.assign(**{SAID: said})


def _with_sentences(what: str, kind: str) -> str:
    return what.replace(" by ", f" {SAID} by ", 1) if kind == "explained" else what


def _cell(values: "pd.Series[float]", form: str) -> str:
    """The median of numbers, or the different words of a column, empty for none."""
    known = values.dropna()
    if known.empty:
        return ""
    if pd.api.types.is_numeric_dtype(known):
        return format(float(known.median()), form or ".3g")
    words = (str(word).replace("|", "\\|") for word in dict.fromkeys(known))
    return ", ".join(words)


def marked() -> list[Path]:
    """The pages that have marks."""
    return [p for p in sorted(DOCS.glob("*.md")) if MARK.search(p.read_text("utf-8"))]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--runs", type=Path, default=ROOT / "build/docs-runs")
    options = parser.parse_args(words)
    differ = False
    try:
        for path in options.pages or marked():
            page = Page(path, options.runs.resolve())
            new = filled(page, benches=not options.check)
            if new != page.text:
                print(f"{path}: numbers differ")
                differ = True
            if not options.check:
                draw(page)
                path.write_text(new, encoding="utf-8")
    except (OSError, UserError) as error:
        print(f"measured: {error}", file=sys.stderr)
        return 2
    return 1 if differ and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
