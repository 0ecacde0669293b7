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
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Say what this machine has and lacks, and what would put it right.

    Looks at both backends, and boots one empty guest if the guest kernel is
    built. Exit status: 0 when the virtual lab can run, 1 when it cannot.
    """
    import json
    from dataclasses import asdict

    from rich.console import Console

    from mpbench.doctor import facts
    from mpbench.doctor.findings import can_run, findings

    found = findings(facts.look())
    labs = {lab: can_run(found, lab) for lab in TITLES}
    if as_json:
        answer = {"can_run": labs, "findings": [asdict(each) for each in found]}
        click.echo(json.dumps(answer, indent=2))
    else:
        _show(found, labs, Console(highlight=False))
    context.exit(0 if labs["virtual"] else 1)


def _show(found: "list[Finding]", labs: dict[str, bool], console: "Console") -> None:
    for lab, title in TITLES.items():
        can = "can run" if labs[lab] else "cannot run"
        listed = [each for each in found if each.lab == lab]
        if console.is_terminal:
            _table(listed, f"{title}: {can}", console)
        else:
            _lines(listed, f"{title}: {can}")


def _lines(listed: "list[Finding]", title: str) -> None:
    click.echo(title)
    for each in listed:
        parts = [each.what, each.detail, each.remedy and f"remedy: {each.remedy}"]
        click.echo(f"  {MARKS[each.mark]:<8}  {' - '.join(filter(None, parts))}")


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
    for each in listed:
        style = STYLES[each.mark]
        table.add_row(
            f"[{style}]{MARKS[each.mark]}[/{style}]",
            *map(escape, (each.what, each.detail, each.remedy)),
        )
    console.print(table)
    console.print()
