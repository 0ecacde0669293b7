"""Runs with the same outcome under several ids: kernels that are equal in bytes.

Patches that change a comment alone can give the very kernel that is there already. A
run in it leaves what the same job left in the other, so its artefacts are copied.
"""

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mpbench.backends.base import Backend, Exit

if TYPE_CHECKING:
    from mpbench.engine.types import PlannedRun
    from mpbench.store import layout


class Twins:
    """The runs of a plan that are alike.

    Nothing is compared unless a run has a kernel of the experiment's.
    """

    def __init__(self, planned: "Sequence[PlannedRun]", backend: Backend) -> None:
        self._names: dict[str, str] = {}
        self._groups: dict[str, list[PlannedRun]] = {}
        if not any(run.job.linux for run in planned):
            return
        for run in planned:
            name = backend.alike(run.job)
            if name is not None:
                self._names[run.id] = name
                self._groups.setdefault(name, []).append(run)

    def of(self, run_id: str) -> Iterator[str]:
        """The ids of the other runs that are alike."""
        for other in self._groups.get(self._names.get(run_id, ""), ()):
            if other.id != run_id:
                yield other.id

    def lines(self) -> list[str]:
        """Sentences on the cases that are alike, for the user."""
        found: dict[tuple[str, ...], int] = {}
        for group in self._groups.values():
            cases = tuple(dict.fromkeys(run.case for run in group))
            if len(cases) > 1 and len({run.id for run in group}) > 1:
                found[cases] = found.get(cases, 0) + len(group) - 1
        return [
            f"Kernels of {', '.join(cases)}: the same bytes; {count} of their runs"
            f" {'is' if count == 1 else 'are'} copied."
            for cases, count in found.items()
        ]

    def copy(
        self, results: "layout.Results", run: "PlannedRun"
    ) -> tuple[str, Exit] | None:
        """Copy what a finished twin left into the partial folder of a run.

        Returns the twin's id, and an Exit that took no time; None if none has finished.
        """
        from mpbench.engine.select import RETRIED
        from mpbench.store import manifest, runs

        for other in self.of(run.id):
            stored = runs.read(results, other)
            if stored is None or stored.row is None or stored.host is None:
                continue
            if (
                stored.row["verdict"] in RETRIED
                or stored.host.exit.status != "finished"
            ):
                continue
            source = results.run(other)
            listed = manifest.read(source).artefacts.values()
            if any(entry.get("kept") is False for entry in listed):
                continue
            target = results.partial(run.id).artefacts
            shutil.rmtree(target)
            shutil.copytree(source.artefacts, target, symlinks=True)
            return other, Exit("finished", "", 0.0, stored.host.exit.virtual_s, 0.0)
        return None
