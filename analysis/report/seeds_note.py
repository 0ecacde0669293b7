"""The sentence on a page about campaigns whose networks drew from one seed."""

from collections.abc import Iterator, Sequence

from analysis.campaign.campaign import Campaign

CONSEQUENCE = (
    "so the noise of its networks is not independent. Confidence intervals and p-values"
    " over these networks are too narrow until the campaign is executed again."
)

NAMED = 12
"""Campaigns that are named; of more, the number."""


def lines(campaigns: Sequence[Campaign]) -> Iterator[str]:
    """One paragraph for a page; nothing if every network had a seed of its own."""
    shared = list(dict.fromkeys(c.name for c in campaigns if c.shared_seed))
    if not shared:
        return
    if len(campaigns) == 1:
        yield (
            "All networks of a repetition drew from one random seed in this campaign,"
            f" {CONSEQUENCE}"
        )
    else:
        names = ", ".join(f"`{name}`" for name in shared[:NAMED])
        names += f", and {len(shared) - NAMED} more" if shared[NAMED:] else ""
        yield (
            "All networks of a repetition drew from one random seed in each of these"
            f" campaigns, {CONSEQUENCE.replace('its', 'their')} The campaigns: {names}."
        )
    yield ""
