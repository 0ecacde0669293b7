"""``mpbench doctor``: what this machine has and lacks."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from mpbench.doctor.findings import Finding

MARKS = {"ok": "ok", "missing": "MISSING", "optional": "optional"}
STYLES = {"ok": "green", "missing": "bold red", "optional": "yellow"}
TITLES = {
    "virtual": "Virtual lab (--backend virtual)",
    "native": "This machine's own kernel (--backend native)",
}


@click.command("doctor")
@click.option(
    "--backend",
    "asked",
    type=click.Choice(tuple(TITLES)),
    help="Look at this backend only.  [default: both; the status is the virtual lab's]",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead.")
@click.pass_context
def command(context: click.Context, asked: str | None, as_json: bool) -> None:
    """Say what this machine has and lacks, and what would put it right.

    If everything is there that a guest needs, one empty guest is booted.

    Exit status: 0 when the backend can run, 1 when it cannot.
    """
    import json
    from dataclasses import asdict

    from rich.console import Console

    from mpbench.doctor import facts
    from mpbench.doctor.findings import can_run, findings

    shown = [asked] if asked else list(TITLES)
    chosen = [finding for finding in findings(facts.look()) if finding.lab in shown]
    labs = {lab: can_run(chosen, lab) for lab in shown}
    if as_json:
        answer = {"can_run": labs, "findings": [asdict(finding) for finding in chosen]}
        click.echo(json.dumps(answer, indent=2))
    else:
        _show(chosen, labs, Console(highlight=False))
    context.exit(0 if labs[asked or "virtual"] else 1)


def _show(found: "list[Finding]", labs: dict[str, bool], console: "Console") -> None:
    for lab, able in labs.items():
        title = f"{TITLES[lab]}: {'can run' if able else 'cannot run'}"
        listed = [finding for finding in found if finding.lab == lab]
        if console.is_terminal:
            _table(listed, title, console)
        else:
            _lines(listed, title)


def _lines(listed: "list[Finding]", title: str) -> None:
    click.echo(title)
    for finding in listed:
        remedy = finding.remedy and f"remedy: {finding.remedy}"
        parts = filter(None, (finding.what, finding.detail, remedy))
        click.echo(f"  {MARKS[finding.mark]:<8}  {' - '.join(parts)}")


def _table(listed: "list[Finding]", title: str, console: "Console") -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 2, 0, 0),
    )
    for heading in ("", "what", "found", "remedy"):
        table.add_column(heading, header_style="dim")
    for finding in listed:
        style = STYLES[finding.mark]
        table.add_row(
            f"[{style}]{MARKS[finding.mark]}[/{style}]",
            *map(escape, (finding.what, finding.detail, finding.remedy)),
        )
    console.print(table)
    console.print()
