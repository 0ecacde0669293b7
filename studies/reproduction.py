"""Execute every campaign that results/reference shows, and write its pages.

    python -m studies.reproduction [--set SET]... [--results DIR] [--cpu-hours H]
                                      [--list | --costs | --kept]

The campaigns of a publication come from one commit without changes, and from one build
of the guest: the thesis's from one, those of the OLIA, NSDI 2011 and Balia papers from
one, and MPCC's from one. Each may be another one than the others. This command refuses
to write pages where it is not so; studies/test_reference_builds.py checks what is
written. `python -m studies.builds` shows whether runs under two builds are equal.

The sets are, in the order of their execution:

upstream   the thesis's campaigns on the guest's kernel as it is
papers     the campaigns of the other papers
designs    further designs of the thesis's campaigns, for its Tables 3.2, 4.1 and 5.2
v091       the thesis's campaigns with what is known of its machine, in today's kernel
control    the thesis's campaigns under both configurations, with fresh seeds, and with
           delays that differ by up to 0.5 % where nothing draws from them
parts      the thesis's campaigns under v091 with one part left out
exploration   settings that nobody is known to have had, which the pages' notes speak of
reach      networks that papers do not print, for tables of three of them

mpcc       the campaigns of the MPCC paper, which are executed only if they are named;
           their pages are in results/reference/mpcc

`control` and `parts` only have to show differences to the campaigns before them, in the
same networks, so they have every k-th network alone (thinned.yaml).

A campaign of `parts` copies the runs that leaving the part out does not change. The
command can be stopped at any time, and goes on where it stopped.

With --set mpcc --cpu-hours 4 only those campaigns of that set are executed whose
estimates fit into four hours of CPU time, whole figures in the order of
studies/mpcc_campaigns.py. A later call with more hours goes on.

The rows of every campaign are kept in studies/rows (studies/kept.py), and a run that
has one there, from the same build, is not executed again. With --kept nothing is
executed: a campaign without results is taken from its kept rows, and the pages are
written; figures that need whole runs stay as they are. So the sets can be executed one
by one, on different machines. The pages need all of them.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from analysis.published.publication import named_campaigns
from analysis.report import verdicts_table
from mpbench.engine.durations import span
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import Plan, make_plan
from mpbench.plan.estimate import Estimate, estimate, total
from mpbench.report.pages_file import Pages
from mpbench.store import campaign, kept_rows
from mpbench.store.layout import Results
from studies import (
    kept,
    kept_figures,
    mpcc_campaigns,
    publications,
    reachability,
    reference_index,
    spread,
    undecided,
    unprinted_networks,
)

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "experiments"
STUDIES = ROOT / "studies"
CONFIGURATIONS = EXPERIMENTS / "thesis/configurations"
EWTCP_HALF = EXPERIMENTS / "nsdi11/configurations/ewtcp-half.yaml"
WITH_EWTCP = (
    "arrivals-alone",
    "bursty-cbr",
    "competing-wireless",
    "efficient-paths",
    "four-links",
    "nsdi11-torus",
    "trapped",
)
"""Campaigns of nsdi11 that are judged under EWTCP_HALF, and again with fresh seeds."""
PUBLISHED = ROOT / "results/published"
REFERENCE = ROOT / "results/reference"
ROWS = kept.UNPACKED
TABLES = kept.ARCHIVES
"""Folder for tables of the thesis's designs, beside the archives of rows."""
SETS = (
    "upstream",
    "papers",
    "designs",
    "v091",
    "control",
    "parts",
    "exploration",
    "reach",
)
PATCHED = (
    "bcube-tp1-simulator",
    "bcube-tp2-acks",
    "bcube-tp2-simulator",
    "bcube-tp3-simulator",
    "rtt-mismatch-acks",
)
"""Experiments of `studies/causes` that need a patch."""
MPCC = "mpcc"
DESIGNS = 3
"""The number of designs of which Tables 3.2, 4.1 and 5.2 are."""
DEVIATIONS = {
    "thesis-table-3.2.csv": (("bulk-low-bdp", "bulk-high-bdp"), ("mptcp",)),
    "thesis-table-4.1.csv": (
        ("small-files-low-bdp", "small-files-high-bdp"),
        ("lowrtt",),
    ),
    "thesis-table-5.2.csv": (
        ("lossy-low-bdp", "lossy-high-bdp"),
        ("lia", "olia", "balia", "wvegas"),
    ),
}
"""Tables of deviations: their campaigns, and the cases that they need."""
PAGES_OF_THEIR_OWN = (
    "bulk-low-bdp",
    "fairness-steady",
    "fairness-phases",
    "path-choice",
)
"""Campaigns of the thesis with a page besides those of its figures."""


@dataclass(frozen=True)
class Step:
    """One campaign to execute.

    set : the set that it belongs to
    name : the name of its results folder
    words : the words of the command after `mpbench`
    """

    set: str
    name: str
    words: tuple[str, ...]


def steps(results: Path) -> Iterator[Step]:
    """Every campaign of every set, in the order of execution."""
    thesis = sorted((EXPERIMENTS / "thesis").glob("*.yaml"))
    v091, control = CONFIGURATIONS / "v091.yaml", CONFIGURATIONS / "control.yaml"
    thinned = ("--with", str(CONFIGURATIONS / "thinned.yaml"))

    def run(of: str, file: Path, suffix: str = "", *words: str) -> Step:
        name = file.stem + suffix
        kept = ("--reuse", str(ROWS / name)) if kept_rows.there(ROWS / name) else ()
        out = str(results / name)
        return Step(of, name, ("run", str(file), *words, *kept, "--out", out))

    for file in thesis:
        yield run("upstream", file)
    for folder in ("balia", "nsdi11", "olia"):
        for file in sorted((EXPERIMENTS / folder).glob("*.yaml")):
            yield run("papers", file)
    for names, cases in DEVIATIONS.values():
        for name in names:
            file = EXPERIMENTS / "thesis" / f"{name}.yaml"
            only = [word for case in cases for word in ("--only", case)]
            words = ("sensitivity", str(file), "--designs", str(DESIGNS), *only)
            words += ("--metric", "aggregation_benefit", "--out", str(results / name))
            yield Step("designs", name, words)
    for file in thesis:
        yield run("v091", file, "-v091", "--with", str(v091))
    for file in thesis:
        moved = STUDIES / "control" / file.name
        file = moved if moved.exists() else file
        yield run("control", file, "-control", "--with", str(control), *thinned)
        both = ("--with", str(v091), "--with", str(control))
        yield run("control", file, "-v091-control", *both, *thinned)
    for part in yaml.safe_load(v091.read_text())["parts"]:
        for file in thesis:
            words = ("--with", str(v091), *thinned, "--without", part)
            words += ("--reuse", str(results / f"{file.stem}-v091"))
            yield run("parts", file, f"-v091-without-{part}", *words)
    for folder in ("exploration", "causes"):
        for file in sorted((STUDIES / folder).glob("*.yaml")):
            if file.stem not in PATCHED:
                yield run("exploration", file)
    for name in WITH_EWTCP:
        file, default = EXPERIMENTS / f"nsdi11/{name}.yaml", str(results / name)
        half = ("--with", str(EWTCP_HALF), "--reuse", default)
        yield run("exploration", file, "-ewtcp-half", *half)
        again = ("--with", str(control), "--only", "ewtcp")
        yield run("exploration", file, "-control", *again)
    for table in unprinted_networks.TABLES:
        for suffix in unprinted_networks.configurations(table):
            configured = ("--with", str(v091)) if suffix else ()
            yield run(
                "reach", STUDIES / f"reach/{table.campaign}.yaml", suffix, *configured
            )
    for name in mpcc_campaigns.ORDER:
        reused = mpcc_campaigns.REUSED.get(name)
        words = ("--reuse", str(results / reused)) if reused else ()
        yield run(MPCC, EXPERIMENTS / f"mpcc/{name}.yaml", "", *words)


def sources(results: Path, sets: Sequence[str] = SETS) -> dict[str, Path]:
    """The results of every campaign that has some, or else its kept rows, by name.

    sets : those whose campaigns are looked for
    """
    found = {}
    for step in steps(results):
        if step.set not in sets:
            continue
        folder, rows = results / step.name, ROWS / step.name
        if (folder / "campaign.json").exists():
            found[step.name] = folder
        elif kept_rows.there(rows):
            found[step.name] = rows
    return found


def deviations(results: Path, name: str) -> Path:
    """The table of a campaign's designs, in its results or beside its kept rows."""
    table = results / f"{name}.designs/sensitivity.csv"
    return table if table.exists() else TABLES / f"{name}.designs.csv"


def keep(results: Path, sets: Sequence[str] = SETS) -> int:
    """Keep the rows of the campaigns in `results`; an exit status."""
    found = sources(results, sets).values()
    folders = [path for path in found if path.parent != ROWS]
    if folders and (
        status := mpbench(["rows", *map(str, folders), "--out", str(ROWS)])
    ):
        return status
    for names, _ in DEVIATIONS.values() if MPCC not in sets else ():
        for name in names:
            table = deviations(results, name)
            if table.parent != TABLES and table.exists():
                TABLES.mkdir(parents=True, exist_ok=True)
                (TABLES / f"{name}.designs.csv").write_bytes(table.read_bytes())
    return 0


def pages(results: Path) -> Iterator[tuple[str, ...]]:
    """The commands that write the pages, as words after `mpbench`."""
    names = sources(results)
    papers = [step.name for step in steps(results) if step.set == "papers"]
    for name in (*PAGES_OF_THEIR_OWN, *papers):
        if name in names:
            out = str(REFERENCE / name)
            yield ("report", str(names[name]), "--format", "md", "--out", out)
    thesis = REFERENCE / "thesis"
    for table, (of, _) in DEVIATIONS.items():
        tables = [deviations(results, name) for name in of]
        if all(path.exists() for path in tables):
            page = thesis / f"{table.removeprefix('thesis-').removesuffix('.csv')}.md"
            words = ("deviations", str(PUBLISHED / table), *map(str, tables))
            yield (*words, "--out", str(page))
    file = str(PUBLISHED / "thesis-pages.yaml")
    yield ("pages", file, *map(str, names.values()), "--out", str(thesis))
    for path in sorted(PUBLISHED.glob("*-pages.yaml")):
        name = path.stem.removesuffix("-pages")
        if name in ("thesis", MPCC):
            continue
        folders = [str(folder) for folder in used(Pages(path), results)]
        if folders:
            out = str(REFERENCE / name)
            yield ("pages", str(path), *folders, "--out", out)


def used(pages: Pages, results: Path) -> Iterator[Path]:
    """The results, or else the kept rows, of each campaign that a file of pages
    names."""
    of = pages.publication
    known = named_campaigns(of.statements, of.sheets)
    for configuration in of.configurations:
        for name in known:
            folder = f"{name}{configuration.suffix}"
            if (results / folder / "campaign.json").exists():
                yield results / folder
            elif kept_rows.there(ROWS / folder):
                yield ROWS / folder


def prune(folder: Path) -> list[str]:
    """Remove the pictures and tables in `folder` that its pages do not show.

    Stale ones are of an earlier build, and SVGs are there beside each PNG. Plotted
    values, summaries and notes stay. Returns the names.
    """
    text = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.md"))
    kept = {"points.csv", "summary.csv", verdicts_table.NAME}
    stale = [
        path
        for path in sorted(folder.iterdir())
        if path.suffix in (".png", ".svg", ".csv")
        and path.name not in kept
        and f"({path.name})" not in text
    ]
    for path in stale:
        path.unlink()
    return [path.name for path in stale]


def mpcc_pages(results: Path) -> Iterator[tuple[str, ...]]:
    """The command that writes the pages of the MPCC paper, as words after `mpbench`."""
    names = sources(results, (MPCC,))
    if names:
        file, out = str(PUBLISHED / "mpcc-pages.yaml"), str(REFERENCE / MPCC)
        yield ("pages", file, *map(str, names.values()), "--out", out)


def clean_commit() -> str:
    """The commit of the checkout; raises UserError if a file differs from it."""
    git = ["git", "-C", str(ROOT)]
    changed = subprocess.check_output([*git, "status", "--porcelain"], text=True)
    written = ("results/reference/", "studies/rows/")
    lines = [
        line for line in changed.splitlines() if not any(w in line for w in written)
    ]
    if lines:
        raise UserError(
            f"{lines[0][3:]} and perhaps more files are not committed; the pages name "
            "one commit, so commit or remove them first"
        )
    return subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()


def one_build(folders: Iterable[Path]) -> None:
    """Raises UserError if the campaigns of a publication come from several builds.

    folders : of results or of kept rows
    """
    first: dict[str, tuple[Path, Mapping[str, str]]] = {}
    for path in folders:
        build = _build(path)
        other, wanted = first.setdefault(publications.of(path), (path, build))
        if build != wanted:
            raise UserError(
                f"{path}: of another build than {other}; execute it again, or move it "
                "away"
            )


def _build(folder: Path) -> Mapping[str, str]:
    if kept_rows.there(folder):
        return kept_rows.read(folder).head.build
    return campaign.read(Results(folder).campaign).build


def costs(wanted: Sequence[Step], every: Iterable[Step]) -> Iterator[str]:
    """A table of what campaigns cost by the plan, with a row per campaign.

    every : all campaigns; the runs that one of `wanted` copies from another one cost
        nothing

    Sensitivity's campaigns are of several designs, and have no row.
    """
    yield "| set | campaign | networks | runs | virtual time | one core |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    whole = Estimate(0.0, 0.0)
    named = {step.name: step for step in every}
    planned = cache(lambda name: _plan(named[name]).runs)
    for step in wanted:
        if step.words[0] != "run":
            continue
        folders = map(Path, _given(step, "--reuse"))
        reused = [planned(path.name) for path in folders if path.parent != ROWS]
        there = {run.id for runs in reused for run in runs}
        runs = [run for run in planned(step.name) if run.id not in there]
        cost = total(estimate(run.job) for run in runs)
        slower = mpcc_campaigns.SLOWER.get(step.name, 1.0)
        cost = Estimate(cost.virtual_s, cost.wall_s * slower)
        whole = total((whole, cost))
        points = len({run.point for run in runs})
        times = f"{span(cost.virtual_s)} | {span(cost.wall_s)}"
        yield f"| {step.set} | {step.name} | {points} | {len(runs)} | {times} |"
    yield f"| | all | | | {span(whole.virtual_s)} | {span(whole.wall_s)} |"


def _plan(step: Step) -> Plan:
    configurations = [Path(name) for name in _given(step, "--with")]
    spec = load(Path(step.words[1]), configurations, _given(step, "--without"))
    return make_plan(spec, {})


def _given(step: Step, option: str) -> list[str]:
    """The values of an option of a campaign's command."""
    pairs = zip(step.words, step.words[1:], strict=False)
    return [value for word, value in pairs if word == option]


def page(words: Sequence[str], from_rows: bool) -> int:
    """Write pages, and remove what they do not show; the exit status of the command.

    from_rows : keep figures that only whole results can draw
    """
    out = Path(words[words.index("--out") + 1])
    folder = out.parent if out.suffix else out
    before = kept_figures.before(folder)
    if status := mpbench(words):
        return status
    if from_rows:
        kept_figures.keep(folder, before)
    prune(folder)
    return 0


def mpbench(words: Sequence[str]) -> int:
    """Run a command of mpbench; its exit status."""
    return subprocess.call([sys.executable, "-m", "mpbench.cli", *words], cwd=ROOT)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", dest="sets", action="append", choices=(*SETS, MPCC))
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--list", action="store_true", help="print the commands only")
    parser.add_argument(
        "--costs", action="store_true", help="print a table of estimates only"
    )
    parser.add_argument("--no-pages", action="store_true", help="execute runs only")
    parser.add_argument("--kept", action="store_true", help="execute no runs")
    parser.add_argument(
        "--cpu-hours", type=float, help="of --set mpcc: what fits into these"
    )
    options = parser.parse_args()
    results = options.results.resolve()
    sets = tuple(options.sets or SETS)
    if MPCC in sets and len(sets) > 1:
        parser.error("--set mpcc stands alone, because its pages are others")
    if options.cpu_hours is not None and MPCC not in sets:
        parser.error("--cpu-hours is for --set mpcc")
    try:
        kept.unpack(ROWS)
    except (OSError, UserError) as error:
        print(f"reproduction: {error}", file=sys.stderr)
        return 2
    wanted = [step for step in steps(results) if step.set in sets]
    if options.cpu_hours is not None:
        affordable = set(mpcc_campaigns.affordable(options.cpu_hours))
        wanted = [step for step in wanted if step.name in affordable]
    if options.costs:
        print("\n".join(costs(wanted, steps(results))))
        return 0
    if options.list:
        for step in wanted:
            print(f"{step.set:9} mpbench {shlex.join(step.words)}")
        return 0
    try:
        if not options.kept:
            print(f"Commit {clean_commit()}")
        for number, step in enumerate(() if options.kept else wanted, start=1):
            print(f"[{number}/{len(wanted)}] {step.set}: {step.name}", flush=True)
            status = mpbench(step.words)
            if status not in (0, 1):
                return status
        if options.no_pages:
            return 0
        looked_at = (MPCC,) if MPCC in sets else SETS
        one_build(sources(results, looked_at).values())
        if status := keep(results, looked_at):
            return status
        if not options.kept:
            kept.pack(kept.grouped(ROWS))
        for words in mpcc_pages(results) if MPCC in sets else pages(results):
            if status := page(words, options.kept):
                return status
        if status := reachability.main([]) or spread.main([]) or undecided.main([]):
            return status
        return reference_index.main([])
    except UserError as error:
        print(f"reproduction: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
