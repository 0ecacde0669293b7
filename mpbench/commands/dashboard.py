"""`mpbench dashboard RESULTS`: all runs in one HTML file."""

from pathlib import Path

import click

from mpbench.arguments import results_folders


@click.command()
@results_folders
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write.  [default: report/dashboard.html in the first of RESULTS]",
)
def command(results: tuple[Path, ...], out: Path | None) -> None:
    """Make the dashboard of RESULTS: filter and pick runs, and look at any of them.

    One HTML file that a browser opens from disk and that needs no network. Several
    RESULTS share it, each with its own cases.
    """
    from mpbench.report.dashboard import write
    from mpbench.report.loading import load_campaign

    campaigns = [load_campaign(root)[0] for root in results]
    for campaign in campaigns:
        for line in campaign.state:
            click.echo(f"{campaign.shown}: {line}", err=True)
    out = out or results[0] / "report" / "dashboard.html"
    write(campaigns, out)
    click.echo(f"wrote {out}")
