"""Keeps the table of runs up to date while runs finish."""

import contextlib
import time

from mpbench import extras
from mpbench.errors import UserError
from mpbench.store import campaign, layout, root, table
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

    rows : of the runs that are finished already, by id
    earlier : the head that the folder had before; None for a new folder
    """

    def __init__(
        self,
        results: layout.Results,
        head: campaign.Campaign,
        tabulate: table.Tabulate,
        rows: dict[str, Row],
        earlier: campaign.Campaign | None = None,
    ) -> None:
        self.results = results
        self.head = head
        self._earlier = earlier
        self._tabled = False
        self.rows = rows
        self._tabulate = tabulate
        self._stale = False
        self._manifests: dict[str, str] = {}
        self._due_s = time.monotonic() + EVERY_S

    def add(self, run_id: str, row: Row) -> None:
        self.rows[run_id] = row
        self._manifests.pop(run_id, None)
        self._stale = True
        self._tabled = False

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
        """Write runs.csv, runs.parquet and root.json, unless they are there.

        Raises UserError if there is no space, or the rows make no table.
        """
        if self._tabled:
            return
        rows = table.collect(self.results, self.head.plan, self.rows)
        try:
            with explained(self.results.root):
                made, spec_hash = self._covered(), self.head.spec_hash
                value = root.value(self.results, self.head, made)
                table.write(self.results, rows, self._tabulate, spec_hash, value)
                root.write(self.results, self.head, made)
        except NoSpaceError:
            raise
        except ValueError as error:
            raise UserError(
                f"{self.results.csv}: the rows make no table ({error}); the runs are "
                "safe, and `mpbench analyse` tries again"
            ) from error
        self._stale = False

    def save_root(self) -> None:
        """Write root.json alone: the head of the folder is new, the table is not."""
        with explained(self.results.root):
            made = self._covered()
            self._tabled = self._has_tables(root.value(self.results, self.head, made))
            root.write(self.results, self.head, made)

    def _has_tables(self, value: str) -> bool:
        """Whether the very code that runs now made the folder's tables of its rows.

        Libraries that make tables take longer to load than all else that a command
        does which finds nothing to do.
        """
        if self._earlier is None:
            return False
        software = dict(self.head.provenance.get("mpbench", {}))
        commit = software.get("commit")
        known = commit is not None and not commit.endswith("-dirty")
        return (
            known
            and self._earlier.provenance.get("mpbench") == software
            and self.results.csv.exists()
            and self.results.parquet.exists() == extras.knows_parquet()
            and root.covers_tables(self.results, value)
        )

    def _covered(self) -> dict[str, str]:
        """The hashes of the manifests of the finished runs; each is read once."""
        planned = {entry.id for entry in self.head.plan}
        for run_id in self.rows.keys() & planned:
            if run_id not in self._manifests:
                self._manifests[run_id] = root.manifest_hash(self.results, run_id)
        return {key: self._manifests[key] for key in self.rows.keys() & planned}
