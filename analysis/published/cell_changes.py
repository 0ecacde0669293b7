"""Which part of a configuration explains which cell of a table.

As in `matrix`, a part is taken out of the configuration, and mends a cell if the
verdict agrees with it and not without it. A cell is a mean over runs, so that Welch's
test of the two means says whether it changes by more than chance (Biometrika 34, 1947).
Holm's correction is over all cells and parts.
"""

from collections.abc import Mapping, Sequence

from analysis import late_scipy as scipy
from analysis.published.cells import Compared
from analysis.published.matrix import Change, Row, corrected, in_networks_of, spared
from analysis.published.publication import Campaigns, Sheet, compared

CellRows = Mapping[tuple[str, int], Row]
"""The changes of each cell, by the sheet's name and the cell's number there, from 0."""


def cell_changes(
    sheets: Sequence[Sheet], whole: Campaigns, without: Mapping[str, Campaigns]
) -> CellRows:
    """Effect of each part on each cell that both sides have measured.

    whole : the campaigns of the configuration with all parts
    without : the campaigns without each part

    A part that spares a table's campaign has no change in its cells.
    """
    found: dict[tuple[tuple[str, int], str], Change] = {}
    for part, campaigns in without.items():
        same_runs = spared(campaigns, whole)
        affected = [
            one for one in sheets if not same_runs.intersection(one.campaigns[:1])
        ]
        others = compared(affected, campaigns, 0)
        same = compared(affected, in_networks_of(campaigns, whole), 0)
        for name, group in others.items():
            for index, (one, other) in enumerate(zip(same[name], group, strict=True)):
                if one.verdict is None or other.verdict is None:
                    continue
                found[(name, index), part] = Change(
                    one.verdict, other.verdict, change_p(one, other)
                )
    return corrected(found)


def change_p(one: Compared, other: Compared) -> float | None:
    """Two-sided p-value that both means are the same; None for single runs."""
    if one.ours is None or other.ours is None:
        return None
    if one.error is None or other.error is None:
        return None
    if one.ours == other.ours:
        return 1.0
    if one.error == other.error == 0:
        return None
    result = scipy.stats.ttest_ind_from_stats(
        one.ours,
        one.error * one.n**0.5,
        one.n,
        other.ours,
        other.error * other.n**0.5,
        other.n,
        equal_var=False,
    )
    return float(result.pvalue)
