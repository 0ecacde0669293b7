"""`mpbench report RESULTS`: figures, page and dashboard of campaigns."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.arguments import check_live_options, live_options, results_folders
from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.report.writing import ReportRequest

FORMATS = ("md", "pdf", "html")


def _formats(
    _context: click.Context, _option: click.Parameter, value: str
) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(filter(None, value.replace(" ", "").split(","))))
    wrong = [name for name in names if name not in FORMATS]
    if wrong or not names:
        what = f"{wrong[0]!r}" if wrong else "nothing"
        raise click.BadParameter(f"{what}; give one or more of {', '.join(FORMATS)}")
    return names


@click.command()
@results_folders
@click.option(
    "--format",
    "formats",
    default="md,html",
    show_default=True,
    callback=_formats,
    help="What to make, with commas: md, the page with figures in PNG and SVG; pdf,"
    " every figure and table in PDF, for a paper; html, the dashboard.",
)
@click.option(
    "--columns",
    type=click.IntRange(1, 2),
    help="Draw figures as wide as one or two columns of a paper, letters at 8 points."
    "  [default: as wide as they need]",
)
@click.option(
    "--font",
    type=click.Choice(["sans", "serif"]),
    default="sans",
    show_default=True,
    help="Letters of the figures.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to; with several RESULTS, a folder of each one's name below"
    " it.  [default: RESULTS/report]",
)
@click.option(
    "--expect",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Published statements or cells to set ours beside (YAML or CSV)."
    "  [default: the file that the experiment names under `expect`]",
)
@click.option(
    "--experiment",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Experiment file whose figures and metrics to show, after an edit of them."
    "  [default: experiment.yaml in RESULTS, the file as it was run]",
)
@click.option(
    "--notes",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Markdown to put into the page, on what differs and why.  [default: notes.md"
    " in the folder written to, if there is one]",
)
@click.option(
    "--weights",
    is_flag=True,
    help="Weight each network by its share of the design's domain, and set the weighted"
    " medians beside the others.",
)
@click.option(
    "--open",
    "open_page",
    is_flag=True,
    help="Open the page in a browser, or the dashboard if there is no page.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Serve a page on this machine that fills while the campaign runs, and write "
    "the report when it ends; Ctrl-C ends the page.",
)
@live_options
def command(
    results: tuple[Path, ...],
    formats: tuple[str, ...],
    columns: int | None,
    font: str,
    out: Path | None,
    expect: Path | None,
    experiment: Path | None,
    notes: Path | None,
    weights: bool,
    open_page: bool,
    watch: bool,
    host: str | None,
    port: int | None,
) -> int:
    """Draw the figures of RESULTS, write its page, and make its dashboard.

    Writes README.md and the same as index.html, summary.csv (quartiles of every
    batch), points.csv (what is plotted), each figure as PNG and SVG, and
    dashboard.html. The same results give the same files.
    """
    from mpbench import drawing_library

    drawing_library.load()
    from analysis.figures.style import Look
    from mpbench.report.writing import ReportRequest, write_report
    from mpbench.store.folder import refuse_links_below

    check_live_options(watch, "--watch", host, port)
    folders = _folders(results, out)
    if notes is not None and len(results) > 1:
        raise UserError("--notes: of one page; report these RESULTS one by one")
    suffixes = (*(("png", "svg") if "md" in formats else ()),)
    suffixes += ("pdf",) if "pdf" in formats else ()
    look = Look(font, columns, suffixes)
    request = ReportRequest(formats, look, expect, experiment, notes, weights)
    if watch:
        if len(results) > 1:
            raise UserError("--watch: one page at a time; watch these one by one")
        return _watch(results[0], folders[0], out is None, request, port, open_page)
    if out is None:  # a stranger's folder must not lead what is written elsewhere
        for folder in folders:
            refuse_links_below(folder)
    written = [
        write_report(root, folder, request)
        for root, folder in zip(results, folders, strict=True)
    ]
    if open_page:
        _open([pages[0] for pages in written if pages])
    return 0


def _watch(
    root: Path,
    folder: Path,
    within: bool,
    request: "ReportRequest",
    port: int | None,
    open_page: bool,
) -> int:
    """Serve the report while the campaign runs. within : whether it goes into `root`"""
    from mpbench.live.watch import Live, watch
    from mpbench.report.writing import DASHBOARD, PAGE, write_report
    from mpbench.store.folder import refuse_links_below

    if "html" not in request.formats:
        raise UserError("--watch: shows HTML; leave --format out, or add html")
    notes = request.notes or folder / "notes.md"

    def finish() -> Path:
        if within:
            refuse_links_below(folder)
        write_report(root, folder, request)
        return folder

    live = Live(
        title=f"{root.resolve().name}: report",
        roots=[root],
        tabs=[
            *([("Report", PAGE)] if "md" in request.formats else []),
            ("Dashboard", DASHBOARD),
        ],
        draw=lambda place: write_report(root, place, replace(request, notes=notes)),
        finish=finish,
    )
    return watch(live, port, _open_address if open_page else lambda _: None)


def _open_address(address: str) -> None:
    """Open a page in the user's browser; raises UserError if there is none."""
    import webbrowser

    if not webbrowser.open(address):
        raise UserError(f"--open: no browser here; open {address} in one")


def _open(pages: Sequence[Path]) -> None:
    """Open pages in the user's browser; raises UserError if there is none."""
    if not pages:
        raise UserError("--open: no HTML was made; leave --format out, or add html")
    for page in pages:
        _open_address(page.resolve().as_uri())


def _folders(results: Sequence[Path], out: Path | None) -> list[Path]:
    """Folder of each report; raises UserError if two go to the same place."""
    if out is None:
        return [root / "report" for root in results]
    if len(results) == 1:
        return [out]
    names = [root.resolve().name for root in results]
    for name in names:
        if names.count(name) > 1:
            raise UserError(
                f"--out {out}: two of RESULTS are named {name}; report them one by one"
            )
    return [out / name for name in names]
