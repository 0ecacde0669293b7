"""The rows and the table of a results folder anew, from its artefacts alone."""

from collections import Counter
from pathlib import Path

from mpbench.backends.base import Exit
from mpbench.engine.campaign import Rooms
from mpbench.engine.saving import Saving
from mpbench.engine.verdict import make_row
from mpbench.store import atomic, campaign, runs
from mpbench.store.folder import working
from mpbench.store.layout import Results


def reanalyse(root: Path, rooms: Rooms) -> Counter[str]:
    """Measure every finished run of the plan once more; rewrite rows and table.

    Nothing is executed. Returns how many runs have which verdict now.
    Raises UserError if `root` is no results folder, or another engine's now.
    """
    head = campaign.read(Results(root).campaign)
    verdicts: Counter[str] = Counter()
    with working(root, head.name) as results:
        saving = Saving(results, head, rooms.tabulate, {})
        for entry in head.plan:
            run = results.run(entry.id)
            host = runs.read_json(run.host)
            if host is None or not run.manifest.exists():
                continue
            row = make_row(entry, run, Exit(**host["exit"]), rooms.measure)
            atomic.write_json(run.row, row)
            saving.add(entry.id, row)
            verdicts[row["verdict"]] += 1
        saving.save()
    return verdicts
