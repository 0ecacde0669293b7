"""Output of `mpbench report` for one results folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError
from mpbench.report.dashboard import write as write_dashboard
from mpbench.report.loading import load_campaign

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from analysis.figures.style import Look
    from analysis.report.campaign_page import Contents
    from mpbench.spec import Spec

DASHBOARD = "dashboard.html"
PAGE = "index.html"


@dataclass(frozen=True)
class ReportRequest:
    """The options of the command.

    formats : of `md`, `pdf` and `html`
    look : of the figures, with the formats of their files
    expect : published statements or cells; None for those that the experiment names
    experiment : an experiment file that was edited after the run
    notes : Markdown for the page
    weights : whether each network has the weight of its share of the domain
    """

    formats: tuple[str, ...]
    look: "Look"
    expect: Path | None = None
    experiment: Path | None = None
    notes: Path | None = None
    weights: bool = False


def write_report(root: Path, folder: Path, request: ReportRequest) -> list[Path]:
    """Write the report of the results in `root` to `folder`, and say what was written.

    Returns the pages that a browser can open. Raises UserError if there is nothing to
    report or the folder cannot be written.
    """
    from analysis.report import html_page

    pages: list[Path] = []
    campaign, spec = load_campaign(root)
    if request.experiment is not None:
        campaign, spec = _edited(campaign, request.experiment)
    if request.weights:
        from mpbench.report.design_weights import with_design_weights

        campaign = with_design_weights(campaign, root, spec)
    for line in campaign.state:
        click.echo(f"{root}: {line}", err=True)
    try:
        if request.look.formats:
            if request.experiment is None and spec is not None:
                click.echo(
                    f"{root}: figures as its experiment.yaml asks for them;"
                    " --experiment FILE shows those of an edited file"
                )
            contents = _contents(root, spec, folder, request)
            page = _page(root, campaign, contents, folder, "md" in request.formats)
            if page is not None and "html" in request.formats:
                pages.append(html_page.write(page, campaign.name))
        if "html" in request.formats:
            write_dashboard([campaign], folder / DASHBOARD)
            pages.append(folder / DASHBOARD)
            click.echo(f"wrote {folder / DASHBOARD}")
    except ValueError as error:
        raise UserError(f"{root}: {error}") from error
    except OSError as error:
        raise UserError(
            f"{folder}: cannot be written: {error.strerror}; give another with --out"
        ) from error
    return pages


def _edited(campaign: "Campaign", experiment: Path) -> "tuple[Campaign, Spec]":
    """The campaign with its experiment, read again from the file.

    Raises UserError if the file is of another experiment.
    """
    from mpbench.experiment_files import load

    spec = load(experiment)
    if spec.name != campaign.name:
        raise UserError(
            f"{spec.where('name')}: name: {spec.name}, but the results are of"
            f" {campaign.name}; give the file that was run"
        )
    return replace(campaign, metrics=spec.metrics, figures=spec.requests), spec


def _contents(
    root: Path, spec: "Spec | None", out: Path, request: ReportRequest
) -> "Contents":
    """Contents of the page beside the campaign in `root`."""
    from analysis.published import cells, statements
    from analysis.report.campaign_page import Contents

    expect = request.expect or _expected(spec, root)
    has_cells = expect is not None and cells.is_cells(expect)
    said = _statements_beside(expect) if expect and has_cells else expect
    notes = request.notes or out / "notes.md"
    return Contents(
        figures=spec.requests if spec else (),
        statements=statements.read(said) if said else (),
        cells=cells.read(expect) if expect and has_cells else (),
        notes=notes.read_text(encoding="utf-8") if notes.is_file() else "",
        look=request.look,
        dashboard=DASHBOARD if "html" in request.formats else "",
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


def _statements_beside(cells: Path) -> Path | None:
    """The file of statements with the name of a file of cells, if there is one."""
    beside = cells.with_suffix(".yaml")
    return beside if beside.is_file() else None


def _expected(spec: "Spec | None", results: Path) -> Path | None:
    """The file named under `expect`, looked for here and above the results.

    The results may be a stranger's, so no name and no link in them leads elsewhere.
    """
    if spec is None or spec.expect is None:
        return None
    if Path(spec.expect).is_absolute() or ".." in Path(spec.expect).parts:
        raise UserError(
            f"{results}: expect: {spec.expect} may lie anywhere, so only you can name"
            " it, with --expect"
        )
    # Files of statements were CSV files first, and finished campaigns still name them.
    names = [Path(spec.expect), Path(spec.expect).with_suffix(".yaml")]
    for folder in (Path(), *results.resolve().parents[:-1]):
        for name in names:
            found = (folder / name).resolve()
            if found.is_file() and found.is_relative_to(folder.resolve()):
                return folder / name
    raise UserError(
        f"{results}: expect: {spec.expect} is not there; name it with --expect"
    )
