"""``mpbench doctor``: what this machine has and lacks."""

from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError, printable

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
@click.option(
    "--mptcp",
    is_flag=True,
    help="Say instead why MPTCP connections of this machine may not use a second path.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead.")
@click.pass_context
def command(
    context: click.Context, asked: str | None, mptcp: bool, as_json: bool
) -> None:
    """Say what this machine has and lacks, and what would put it right.

    If everything is there that a guest needs, one empty guest is booted.

    With --mptcp, it reads this machine's settings and counters of MPTCP instead, and
    says what in them keeps a connection from using a second path. That needs no root.

    Exit status: 0 when the backend can run, 1 when it cannot; with --mptcp, 0 when no
    reason applies, 1 when one does.
    """
    if mptcp:
        if asked:
            raise UserError("--mptcp: not together with --backend")
        context.exit(_mptcp(as_json))
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


def _mptcp(as_json: bool) -> int:
    """Print the reasons that apply to this machine; the exit status."""
    import json
    from dataclasses import asdict

    from mpbench.doctor import mptcp_reasons, mptcp_state

    state = mptcp_state.look()
    found = mptcp_reasons.reasons(state)
    applies = any(reason.applies for reason in found)
    if as_json:
        answer = {
            "applies": applies,
            "reasons": [asdict(reason) for reason in found],
            "state": asdict(state),
        }
        click.echo(json.dumps(answer, indent=2))
        return int(applies)
    click.echo(
        "MPTCP of this network namespace: "
        + ("why a second path may not be used" if found else "no reason against")
    )
    for reason in found:
        remedy = f" - remedy: {reason.remedy}" if reason.remedy else ""
        click.echo(printable(f"  {reason.kind:<9}  {reason.sentence}{remedy}"))
    return int(applies)


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
