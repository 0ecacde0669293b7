"""Whether the networks of a campaign drew from one seed, so that their noise is shared.

A run's seed follows from its design point. Before it did, all networks of a
repetition had one seed, and intervals over networks were too narrow. Results of that
time are still read, and a report says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mpbench.store import json_file, kept_rows
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Results
from mpbench.store.records import Row

if TYPE_CHECKING:
    from analysis.campaign.question import Question
    from mpbench.plan.points import Point
    from mpbench.spec import Spec


def shared(results: Results, rows: Sequence[Row]) -> bool:
    """Whether two networks of a repetition have the same seed in their jobs.

    One run of each network and repetition is looked at, because cases share seeds.
    """
    places = {(row["repetition"], row["point"]): row["id"] for row in rows}
    seen: dict[tuple[int, int], int] = {}
    for (repetition, point), run_id in places.items():
        try:
            seed = json_file.read_object(results.run(run_id).job).get("seed")
        except DamagedError:
            continue
        if (
            isinstance(seed, int)
            and seen.setdefault((repetition, seed), point) != point
        ):
            return True
    return False


def noise_is_shared(
    head: kept_rows.Head, rows: Sequence[Row], spec: "Spec | None"
) -> bool:
    """Whether intervals over the networks of these rows are too narrow.

    spec : the experiment; without it, its runs count as random
    """
    if head.shared_seed is False or len({row["point"] for row in rows}) == 1:
        return False
    if spec is None:
        return True
    from mpbench.plan import draws

    return draws.anywhere(spec, _points(spec, rows))


def question(spec: "Spec", rows: Sequence[Row]) -> "Question | None":
    """The experiment's question, with the note where kernels are not paired."""
    from mpbench.plan import kernel_pairs

    asked = spec.question
    if asked is None or not kernel_pairs.unpaired(spec, _points(spec, rows)):
        return asked
    return replace(asked, unpaired=True)


def _points(spec: "Spec", rows: Sequence[Row]) -> "Iterator[Point]":
    """The design points of the rows, each once."""
    factors = spec.design.factors if spec.design else {}
    keys = {name: spec.variable()[name].key for name in factors}
    seen: set[int] = set()
    for row in rows:
        if row["point"] not in seen:
            seen.add(row["point"])
            yield {name: row[key] for name, key in keys.items()}
