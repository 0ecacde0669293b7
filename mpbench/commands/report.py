"""`mpbench report RESULTS`: figures, summary and page of a campaign."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.spec import Spec


@click.command()
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to.  [default: RESULTS/report]",
)
@click.option(
    "--expect",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Published statements to set ours beside (CSV).  [default: the file that"
    " the experiment names under `expect`]",
)
@click.option(
    "--notes",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Markdown to put into the page, on what differs and why.  [default: notes.md"
    " in the folder written to, if there is one]",
)
def command(
    results: Path, out: Path | None, expect: Path | None, notes: Path | None
) -> None:
    """Draw the figures of RESULTS and write its page.

    Writes README.md, summary.csv (quartiles of every batch), points.csv (what is
    plotted) and each figure as PNG and SVG. The same results give the same files.
    """
    from mpbench.store import campaign, layout, runs
    from mpbench.store.table import collect

    folder = layout.Results(results)
    head = campaign.read(folder.campaign)
    rows = collect(folder, head.plan)
    if not rows:
        raise UserError(f"{results}: no run is finished; `mpbench run` goes on with it")
    from analysis import page, statements, table
    from analysis.figures import wanted

    spec = _spec(folder.experiment)
    out = out or results / "report"
    expect = expect or _expected(spec, results)
    notes = notes or out / "notes.md"
    last = rows[-1]["id"] if rows else None
    host = runs.read_json(folder.run(last).host) if last else None
    try:
        report = page.Report(
            title=head.name,
            runs=table.build(rows),
            factors=tuple(dict.fromkeys(k for e in head.plan for k in e.factors)),
            figures=wanted.read(spec.model_dump()["figures"] if spec else ()),
            metrics=spec.metrics if spec else ("goodput",),
            statements=statements.read(expect) if expect else (),
            made=_made(head, host or {}, spec),
            notes=notes.read_text(encoding="utf-8") if notes.is_file() else "",
        )
        written = page.write(report, out)
    except ValueError as error:
        raise UserError(f"{results}: {error}") from error
    except OSError as error:
        raise UserError(
            f"{out}: cannot be written: {error.strerror}; give another with --out"
        ) from error
    click.echo(f"wrote {written}")


def _spec(path: Path) -> "Spec | None":
    """The experiment as it was run; None, and a warning, if this version cannot
    read the file."""
    from mpbench.spec import load

    try:
        return load(path)
    except UserError as error:
        click.echo(f"{error}\ndrawing the usual figures in place of its own", err=True)
        return None


def _expected(spec: "Spec | None", results: Path) -> Path | None:
    """The file named under `expect`, looked for here and above the results."""
    if spec is None or spec.expect is None:
        return None
    for folder in (Path(), *results.resolve().parents):
        if (folder / spec.expect).is_file():
            return folder / spec.expect
    raise UserError(
        f"{results}: expect: {spec.expect} is not there; name it with --expect"
    )


def _made(head: Any, host: Mapping[str, Any], spec: "Spec | None") -> dict[str, str]:
    """What determines the numbers, for the foot of the page."""
    provenance = host.get("provenance") or head.provenance
    ours = provenance.get("mpbench") or {}
    made = {
        "experiment": head.name,
        "source": spec.source if spec else None,
        "spec": head.spec_hash,
        "backend": head.backend,
        **{name: value for name, value in head.build.items()},
        "mpbench": ours.get("version"),
        "commit": ours.get("commit"),
        "CPU": (provenance.get("host") or {}).get("cpu"),
    }
    return {name: str(value) for name, value in made.items() if value}
