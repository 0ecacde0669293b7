"""`mpbench pages FILE RESULTS...`: a publication's figures and statements, and ours."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from analysis.words import many
from mpbench.arguments import results_folders
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from analysis.campaign.figure_request import FigureRequest
    from mpbench.spec import Spec

FORMATS = ("png", "svg", "pdf")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@results_folders
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to write to.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    default=("png",),
    show_default=True,
    help="Of the figures; may be given several times, and the pages show the first.",
)
def command(
    file: Path, results: tuple[Path, ...], out: Path, formats: tuple[str, ...]
) -> None:
    """Write a page for every figure and table that FILE names, and an index.

    The figures are those that the campaigns' experiment files ask for with `after`.
    Statements and cells are judged from the runs of RESULTS, in every configuration
    that FILE names. A page whose campaigns are not among RESULTS is named in the index
    alone.
    """
    from analysis.figures.style import Look
    from analysis.report import publication_pages
    from mpbench.experiment_files import load
    from mpbench.report.loading import load_campaign
    from mpbench.report.pages_file import Pages

    pages = Pages(file)
    campaigns: dict[str, Campaign] = {}
    requests: dict[str, Sequence[FigureRequest]] = {}
    for root in results:
        campaign, spec = load_campaign(root)
        if campaign.name in campaigns:
            raise UserError(
                f"{root}: a second campaign {campaign.name}; give each once"
            )
        for line in campaign.state:
            click.echo(f"{root}: {line}", err=True)
        # The figures are those of the experiment file as it is now.
        experiment = pages.experiment(campaign.name)
        current = load(experiment) if experiment else spec
        state = (*_subset(current, spec), *campaign.state)
        campaigns[campaign.name] = replace(campaign, state=state)
        requests[campaign.name] = current.requests if current else ()
    done = publication_pages.write(
        pages.publication,
        campaigns,
        requests,
        out,
        Look(formats=tuple(dict.fromkeys(formats))),
    )
    for made in done:
        for figure in made.figures:
            if isinstance(figure.drawn, str):
                reason = f"{figure.title}: {figure.drawn}"
                click.echo(f"{figure.campaign}: not drawn: {reason}", err=True)
    click.echo(f"wrote {out / 'README.md'}")


def _subset(whole: "Spec | None", run: "Spec | None") -> tuple[str, ...]:
    """A line where fewer design points were run than the experiment file has."""
    designs = [spec.design if spec else None for spec in (run, whole)]
    points = [design.points if design else None for design in designs]
    if None in points:
        return ()
    if (ours := designs[0]) and ours.thinned_to and points[0]:
        step = -(-points[0] // ours.thinned_to)
        if step > 1:
            return (f"One network in {step} alone, of {points[0]}.",)
    if points[0] == points[1]:
        return ()
    drawn = many(points[0] or 0, "point")
    return (f"A design of {drawn}; the experiment file has {points[1]}.",)
