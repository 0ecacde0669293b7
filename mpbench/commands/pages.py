"""`mpbench pages FILE RESULTS...`: a publication's figures and statements, and ours."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.arguments import results_folders
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.published.publication import Campaign
    from mpbench.report.gather import Gathered
    from mpbench.report.pages_file import Pages
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

    Figures are those that the campaigns' experiment files ask for with `after`;
    statements are answered from the runs of RESULTS. A page whose campaigns are not
    among RESULTS is named in the index alone.
    """
    from analysis.figures.style import Look
    from analysis.report import publication_pages
    from mpbench.report.gather import gather
    from mpbench.report.pages_file import Pages

    pages = Pages(file)
    campaigns: dict[str, Campaign] = {}
    for root in results:
        gathered = gather(root)
        name = gathered.head.name
        if name in campaigns:
            raise UserError(f"{root}: a second campaign {name}; give each once")
        for line in gathered.state:
            click.echo(f"{root}: {line}", err=True)
        campaigns[name] = _campaign(pages, gathered)
    done = publication_pages.write(
        pages.file.source,
        pages.sheets,
        campaigns,
        pages.statements,
        pages.causes,
        out,
        Look(formats=tuple(dict.fromkeys(formats))),
    )
    for made in done:
        for panel in made.panels:
            if isinstance(panel.drawn, str):
                click.echo(f"{panel.campaign}: not drawn: {panel.drawn}", err=True)
    answered = {a.given.statement.id: a.given for made in done for a in made.answers}
    for name in pages.causes:
        if name in answered and answered[name].agrees is not False:
            click.echo(f"{file}: causes: {name}: ours does not differ", err=True)
    click.echo(f"wrote {out / 'README.md'}")


def _campaign(pages: "Pages", gathered: "Gathered") -> "Campaign":
    """With the figures of the experiment file as it is now, not as it was run."""
    from analysis.campaign import table
    from analysis.figures import request as wanted
    from analysis.published.publication import Campaign
    from mpbench.spec import load

    experiment = pages.experiment(gathered.head.name)
    spec = load(experiment) if experiment else gathered.spec
    return Campaign(
        name=gathered.head.name,
        runs=table.build(gathered.rows),
        factors=gathered.factors,
        figures=wanted.read(spec.model_dump()["figures"] if spec else ()),
        made=gathered.made,
        state=(*_subset(spec, gathered.spec), *gathered.state),
    )


def _subset(whole: "Spec | None", run: "Spec | None") -> tuple[str, ...]:
    """Says so where fewer design points were run than the experiment file has."""
    points = [
        spec.design.points if spec and spec.design else None for spec in (run, whole)
    ]
    if None in points or points[0] == points[1]:
        return ()
    return (f"A design of {points[0]} points; the experiment file has {points[1]}.",)
