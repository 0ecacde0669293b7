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
        yield (
            "All networks of a repetition drew from one random seed in each of these"
            f" campaigns, {CONSEQUENCE.replace('its', 'their')} The campaigns:"
            f" {named(shared)}."
        )
    yield ""


def named(campaigns: Sequence[str]) -> str:
    """The names of campaigns, and how many more there are."""
    names = ", ".join(f"`{name}`" for name in campaigns[:NAMED])
    more = len(campaigns) - NAMED
    return f"{names}, and {more} more" if more > 0 else names
