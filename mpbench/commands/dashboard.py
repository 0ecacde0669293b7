"""`mpbench dashboard RESULTS`: all runs in one HTML file."""

from pathlib import Path

import click

from mpbench.arguments import check_live_options, live_options, results_folders

SHOWN = "dashboard.html"


@click.command()
@results_folders
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write.  [default: report/dashboard.html in the first of RESULTS]",
)
@click.option(
    "--live",
    is_flag=True,
    help="Serve a page on this machine that fills while campaigns run, and write the "
    "file when they end; Ctrl-C ends the page.",
)
@live_options
def command(
    results: tuple[Path, ...],
    out: Path | None,
    live: bool,
    host: str | None,
    port: int | None,
) -> int:
    """Make the dashboard of RESULTS: filter and pick runs, and look at any of them.

    One HTML file that a browser opens from disk and that needs no network. Several
    RESULTS share it, each with its own cases.
    """
    check_live_options(live, "--live", host, port)
    file = out or results[0] / "report" / "dashboard.html"
    if live:
        return _live(results, file, port)
    _write(results, file)
    return 0


def _write(results: tuple[Path, ...], out: Path) -> Path:
    from mpbench.report.dashboard import write
    from mpbench.report.loading import load_campaign

    campaigns = [load_campaign(root)[0] for root in results]
    for campaign in campaigns:
        for line in campaign.state:
            click.echo(f"{campaign.shown}: {line}", err=True)
    write(campaigns, out)
    click.echo(f"wrote {out}")
    return out


def _live(results: tuple[Path, ...], out: Path, port: int | None) -> int:
    from mpbench.live.watch import Live, watch
    from mpbench.report.dashboard import write_finished

    names = ", ".join(dict.fromkeys(root.resolve().name for root in results))
    live = Live(
        title=f"{names}: dashboard",
        roots=results,
        tabs=[("Dashboard", SHOWN)],
        draw=lambda folder: write_finished(results, folder / SHOWN),
        finish=lambda: _write(results, out),
    )
    return watch(live, port, lambda _: None)
