"""`mpbench analyse RESULTS`: metrics and table anew, from what the runs left."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.store import campaign, layout


@click.command()
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--dry-run", is_flag=True, help="Say what would change, and write nothing."
)
def command(results: Path, dry_run: bool) -> None:
    """Compute every run's row and the table of RESULTS again from its artefacts.

    Nothing is executed. For results of an earlier mpbench whose metrics or checks
    have changed since. How an execution ended (failed, timeout) stays as it was.
    """
    from mpbench.store import campaign, layout
    from mpbench.store.folder import working

    head = campaign.read(layout.Results(results).campaign)
    if not head.plan:
        raise UserError(f"{results}: its plan has no runs; make it with `mpbench run`")
    if dry_run:
        _analyse(layout.Results(results), head, write=False)
        return
    with working(results, head.name) as folder:
        _analyse(folder, head, write=True)


def _analyse(results: "layout.Results", head: "campaign.Campaign", write: bool) -> None:
    from analysis.rows import row
    from analysis.table import build
    from mpbench.backends.base import Exit
    from mpbench.engine.verdict import make_row
    from mpbench.store import atomic, runs, table

    rows, changed = {}, 0
    for entry in head.plan:
        old = runs.read_row(results, entry.id)
        if old is None:
            continue
        folder = results.run(entry.id)
        host = runs.read_json(folder.host)
        if host is None or "exit" not in host:
            raise UserError(
                f"{folder.host}: damaged; remove {folder.root} and run again"
            )
        new = make_row(entry, folder, Exit(**host["exit"]), row)
        rows[entry.id] = new
        if new != old:
            changed += 1
            before = (
                f"was {old['verdict']}, " if old["verdict"] != new["verdict"] else ""
            )
            reason = f": {new['reason']}" if new["reason"] else ""
            click.echo(f"{entry.id} {entry.case}: {before}is {new['verdict']}{reason}")
            if write:
                atomic.write_json(folder.row, new)
    if write:
        tabled = table.collect(results, head.plan, rows)
        table.write(results, tabled, build, head.spec_hash)
    verb = "changed" if write else "would change"
    click.echo(f"{len(rows)} of {len(head.plan)} runs analysed, {changed} {verb}")
