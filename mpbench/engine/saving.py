"""Keeps the table of runs up to date while runs finish."""

import contextlib
import time

from mpbench.errors import UserError
from mpbench.store import campaign, layout, table
from mpbench.store.disk_space import NoSpaceError, explained
from mpbench.store.runs import Row

EVERY_S = 5.0
"""The least time between two savings while runs finish."""
REST = 20.0
"""The time between two savings, divided by the time that a saving takes. Each saving
writes all rows. At fixed times, the cost would grow with the square of the runs."""


class Saving:
    """The rows of a campaign, and their table on disk.

    Each run is safe in its own folder as soon as it ends. The table is made again from
    the rows every few seconds, later less often, and at the end.
    """

    def __init__(
        self,
        results: layout.Results,
        head: campaign.Campaign,
        tabulate: table.Tabulate,
        rows: dict[str, Row],
    ) -> None:
        self.results = results
        self.head = head
        self.rows = rows
        self._tabulate = tabulate
        self._stale = False
        self._due_s = time.monotonic() + EVERY_S

    def add(self, run_id: str, row: Row) -> None:
        self.rows[run_id] = row
        self._stale = True

    def now_and_then(self) -> None:
        """Save if there is a new row and the last time was a while ago.

        An error is ignored here: the last saving meets it again and reports it.
        """
        begun_s = time.monotonic()
        if self._stale and begun_s >= self._due_s:
            with contextlib.suppress(UserError):
                self.save()
            ended_s = time.monotonic()
            self._due_s = ended_s + max(EVERY_S, REST * (ended_s - begun_s))

    def save(self) -> None:
        """Write runs.csv and runs.parquet.

        Raises UserError if there is no space, or the rows make no table.
        """
        rows = table.collect(self.results, self.head.plan, self.rows)
        try:
            with explained(self.results.root):
                table.write(self.results, rows, self._tabulate, self.head.spec_hash)
        except NoSpaceError:
            raise
        except ValueError as error:
            raise UserError(
                f"{self.results.csv}: the rows make no table ({error}); the runs are "
                "safe, and `mpbench analyse` tries again"
            ) from error
        self._stale = False
