"""Shows a campaign: a live panel on a terminal, plain lines elsewhere."""

from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from analysis.words import many
from mpbench.engine.durations import span
from mpbench.engine.progress import Finished, Progress, counts

STYLES = {
    "ok": "green",
    "same": "green",
    "invalid": "yellow",
    "differs": "red",
    "failed": "red",
    "timeout": "red",
    "interrupted": "magenta",
}
SAME = "same"
GOOD = ("ok", SAME)
TAIL_SHOWN = 5


class Display(Protocol):
    def note(self, text: str) -> None:
        """Print a line that is not about the end of a run."""

    def finished(self, end: Finished, progress: Progress) -> None:
        """Print how a run ended."""

    def refresh(self, progress: Progress) -> None:
        """Show where things stand; called several times per second."""

    def close(self) -> None:
        """Restore the terminal."""


def make(console: Console) -> Display:
    """The display that suits `console`."""
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveDisplay(console)
    return LineDisplay(console)


class LineDisplay:
    """Prints one line per run, for logs, pipes and continuous integration."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def note(self, text: str) -> None:
        self._say(text)

    def finished(self, end: Finished, progress: Progress) -> None:
        width = len(str(progress.total))
        self._say(
            f"[{progress.done:{width}}/{progress.total}] {end.task.id} "
            f"{end.task.label}: {end.verdict}, {pace(end)}, "
            f"ETA {span(progress.eta_s)}"
        )
        for line in complaint(end):
            self._say(f"    {line}")

    def refresh(self, progress: Progress) -> None:
        pass

    def close(self) -> None:
        pass

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


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


def pace(end: Finished) -> str:
    """``30.0 virtual s in 1.5 s (20x)``."""
    speed = end.virtual_s / end.wall_s if end.wall_s > 0 else 0.0
    times = f"{speed:.0f}x" if speed >= 10 else f"{speed:.1f}x"
    return f"{end.virtual_s:.1f} virtual s in {end.wall_s:.1f} s ({times})"


def complaint(end: Finished) -> list[str]:
    """The reason of a run that is not good, and the end of its console."""
    if end.verdict in GOOD and not (end.verdict == SAME and end.reason):
        return []
    reason = [end.reason] if end.reason else []
    return reason + [f"| {line}" for line in end.tail[-TAIL_SHOWN:]]


def summary(progress: Progress) -> str:
    """``12 runs in 8 s (24.1 virtual s/s): 11 ok, 1 failed``."""
    runs = f"{progress.done} run{'' if progress.done == 1 else 's'}"
    return (
        f"{runs} in {span(progress.elapsed_s)} "
        f"({progress.rate:.1f} virtual s/s): {counts(progress.verdicts)}"
    )
