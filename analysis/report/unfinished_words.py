"""A sentence on cases whose traffic did not do all that it was asked to do."""

from collections.abc import Iterator

import pandas as pd

from analysis.campaign.question import joined

DONE = "complete"


def sentence(runs: pd.DataFrame) -> Iterator[str]:
    """The cases whose numbers leave out what came after an early end.

    runs : the rows of a campaign, of which those with the verdict ok count

    Nothing is yielded where all traffic of these runs was complete, or nobody knows.
    """
    good = runs[runs["verdict"] == "ok"]
    names = [n for n in good.columns if n == "ended" or n.endswith(".ended")]
    early = (good[names].notna() & (good[names] != DONE)).any(axis="columns")
    found = [
        f"`{case}` ({some.sum()} of {len(some)})"
        for case, some in early.groupby(good["case"], sort=False)
        if some.any()
    ]
    if found:
        yield (
            f"In runs of {joined(found)}, traffic ended before it was complete. These"
            " cases count only what they did until then."
        )
