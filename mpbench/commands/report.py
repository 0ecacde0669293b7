"""`mpbench report RESULTS`: figures, page and dashboard of campaigns."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.arguments import results_folders
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from analysis.figures.style import Look
    from analysis.report.campaign_page import Contents
    from mpbench.spec import Spec

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
) -> None:
    """Draw the figures of RESULTS, write its page, and make its dashboard.

    Writes README.md and the same as index.html, summary.csv (quartiles of every
    batch), points.csv (what is plotted), each figure as PNG and SVG, and
    dashboard.html. The same results give the same files.
    """
    from analysis.figures.style import Look
    from analysis.report import html_page
    from mpbench.report.dashboard import write
    from mpbench.report.design_weights import with_design_weights
    from mpbench.report.loading import load_campaign
    from mpbench.store.folder import refuse_links_below

    folders = _folders(results, out)
    if out is None:  # a stranger's folder must not lead what is written elsewhere
        for folder in folders:
            refuse_links_below(folder)
    if notes is not None and len(results) > 1:
        raise UserError("--notes: of one page; report these RESULTS one by one")
    suffixes = (*(("png", "svg") if "md" in formats else ()),)
    suffixes += ("pdf",) if "pdf" in formats else ()
    look = Look(font, columns, suffixes)
    shown: list[Path] = []
    for root, folder in zip(results, folders, strict=True):
        campaign, spec = load_campaign(root)
        if experiment is not None:
            campaign, spec = _edited(campaign, experiment)
        if weights:
            campaign = with_design_weights(campaign, root, spec)
        for line in campaign.state:
            click.echo(f"{root}: {line}", err=True)
        try:
            if suffixes:
                if experiment is None and spec is not None:
                    click.echo(
                        f"{root}: figures as its experiment.yaml asks for them;"
                        " --experiment FILE shows those of an edited file"
                    )
                contents = _contents(root, spec, look, folder, expect, notes)
                page = _page(root, campaign, contents, folder, "md" in formats)
                if page is not None and "html" in formats:
                    shown.append(html_page.write(page, campaign.name))
            if "html" in formats:
                write([campaign], folder / "dashboard.html")
                if not shown or shown[-1].parent != folder:
                    shown.append(folder / "dashboard.html")
                click.echo(f"wrote {folder / 'dashboard.html'}")
        except ValueError as error:
            raise UserError(f"{root}: {error}") from error
        except OSError as error:
            raise UserError(
                f"{folder}: cannot be written: {error.strerror}; give another with "
                "--out"
            ) from error

    if open_page:
        _open(shown)


def _open(pages: Sequence[Path]) -> None:
    """Open pages in the user's browser; raises UserError if there is none."""
    import webbrowser

    if not pages:
        raise UserError("--open: no HTML was made; leave --format out, or add html")
    for page in pages:
        if not webbrowser.open(page.resolve().as_uri()):
            raise UserError(f"--open: no browser here; open {page} in one")


def _edited(campaign: "Campaign", experiment: Path) -> "tuple[Campaign, Spec]":
    """The campaign and its experiment as the file has it now.

    Raises UserError if the file is of another experiment.
    """
    from mpbench.spec import load

    spec = load(experiment)
    if spec.name != campaign.name:
        raise UserError(
            f"{spec.where('name')}: name: {spec.name}, but the results are of"
            f" {campaign.name}; give the file that was run"
        )
    return replace(campaign, metrics=spec.metrics), spec


def _folders(results: Sequence[Path], out: Path | None) -> list[Path]:
    """Where each one's report goes; raises UserError if two go to the same place."""
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


def _contents(
    root: Path,
    spec: "Spec | None",
    look: "Look",
    out: Path,
    expect: Path | None,
    notes: Path | None,
) -> "Contents":
    """What the page shows beside the campaign in `root`."""
    from analysis.published import cells, statements
    from analysis.report.campaign_page import Contents

    expect = expect or _expected(spec, root)
    has_cells = expect is not None and cells.is_cells(expect)
    notes = notes or out / "notes.md"
    return Contents(
        figures=spec.figures if spec else (),
        statements=statements.read(expect) if expect and not has_cells else (),
        cells=cells.read(expect) if expect and has_cells else (),
        notes=notes.read_text(encoding="utf-8") if notes.is_file() else "",
        look=look,
    )


def _page(
    root: Path, campaign: "Campaign", contents: "Contents", out: Path, page: bool
) -> Path | None:
    """Write the figures and, if wanted, the page; say what was not drawn.

    Returns the path of the page, if there is one.
    """
    from analysis.report import campaign_page

    written = campaign_page.write(campaign, contents, out, page)
    for line in written.undrawn:
        click.echo(f"{root}: not drawn: {line}", err=True)
    click.echo(f"wrote {written.page or out / 'figures.pdf'}")
    return written.page


def _expected(spec: "Spec | None", results: Path) -> Path | None:
    """The file named under `expect`, looked for here and above the results."""
    if spec is None or spec.expect is None:
        return None
    # Files of statements were CSV files first, and finished campaigns still name them.
    names = [Path(spec.expect), Path(spec.expect).with_suffix(".yaml")]
    for folder in (Path(), *results.resolve().parents):
        for name in names:
            if (folder / name).is_file():
                return folder / name
    raise UserError(
        f"{results}: expect: {spec.expect} is not there; name it with --expect"
    )
