"""Shows a campaign: a live panel on a terminal, plain lines elsewhere."""

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from analysis.words import many
from mpbench.engine.display import GOOD, Display, LineDisplay, Lines, complaint
from mpbench.engine.durations import span
from mpbench.engine.progress import Finished, Progress

STYLES = {
    "ok": "green",
    "same": "green",
    "invalid": "yellow",
    "differs": "red",
    "failed": "red",
    "timeout": "red",
    "interrupted": "magenta",
}


def make(console: Console | Lines) -> Display:
    """The display that suits `console`."""
    whole = console.console if isinstance(console, Lines) else console
    if whole.is_terminal and not whole.is_dumb_terminal:
        return LiveDisplay(whole)
    return LineDisplay(whole)


class LiveDisplay:
    """Shows a bar, counts, speed, ETA and the runs in flight; runs that are not good
    are printed above."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def note(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)

    def finished(self, end: Finished, progress: Progress) -> None:
        if end.verdict in GOOD:
            return
        head = Text(f"{end.verdict:12}", STYLES.get(end.verdict, ""))
        head.append(f"{end.task.id} {end.task.label}", "default")
        self._console.print(head, soft_wrap=True)
        for line in complaint(end):
            self._console.print(Text(f"    {line}", "dim"), soft_wrap=True)

    def refresh(self, progress: Progress) -> None:
        self._live.update(panel(progress), refresh=True)

    def close(self) -> None:
        self._live.stop()


def panel(progress: Progress) -> Group:
    """The live panel of a campaign."""
    head = Text.assemble(
        (f"{progress.done}", "bold"),
        f"/{many(progress.total, 'run')}  ",
        *_counted(progress),
        ("  ", ""),
        (f"{progress.rate:.1f}", "bold cyan"),
        " virtual s/s  ETA ",
        (span(progress.eta_s), "bold"),
    )
    bar = Table.grid()
    bar.add_row(ProgressBar(total=1.0, completed=progress.fraction, width=60))
    return Group(bar, head, _flights(progress))


def _counted(progress: Progress) -> list[tuple[str, str]]:
    return [
        (f"{count} {verdict} ", STYLES.get(verdict, ""))
        for verdict, count in sorted(progress.verdicts.items())
    ]


def _flights(progress: Progress) -> Table:
    table = Table.grid(padding=(0, 2))
    for flight in sorted(progress.flights.values(), key=lambda flight: flight.slot):
        expected_s = flight.task.expected_s
        share = flight.virtual_s / expected_s if expected_s else 0.0
        table.add_row(
            Text(flight.place, "dim"),
            Text(flight.task.label),
            ProgressBar(total=1.0, completed=min(1.0, share), width=20),
            Text(f"{flight.virtual_s:.1f} of {expected_s:.0f} s", "cyan"),
            Text(f"in {progress.wall_s(flight):.1f} s", "dim"),
        )
    return table
