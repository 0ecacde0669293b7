"""Spread within networks beside that between networks, as a section of a page."""

from collections.abc import Iterator

from analysis.campaign import listed
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain_label
from analysis.campaign.numbers import digits, is_number
from analysis.campaign.spread import Spread, spread
from analysis.report.markdown import markdown

HEAD = ["n", "runs", "mean", "s within", "in % of the mean"]
HEAD += ["networks", "s between", "within / between"]
READING = (
    "n counts the networks whose repetitions differ, and runs their repetitions. *s"
    " within* is the standard deviation of the repetitions of a network, pooled over"
    " these networks: what chance changes in one network, which is the least error of"
    " any number of a single run. *s between* is the standard deviation of the means of"
    " all networks. A difference between two networks that is not larger than about"
    " three times *s within* may be chance. Networks whose repetitions are all"
    " identical have drawn nothing, and say nothing about chance."
)


def lines(campaign: Campaign) -> Iterator[str]:
    """The table with its heading and how to read it; nothing where it has no rows."""
    found = list(table(campaign))
    if found:
        yield from ("## Spread within and between networks", "", *found, READING, "")


def table(campaign: Campaign) -> Iterator[str]:
    """A row per case, value of a listed factor, and metric; nothing where no
    repetitions of a network differ."""
    runs = campaign.ok_runs
    if runs.empty or not runs.duplicated(["case", "point"]).any():
        return
    every = listed.factors(runs, campaign.factors, campaign.listed)
    split = listed.splitting(runs, every)
    rows = []
    for metric in dict.fromkeys(campaign.metrics):
        for column in campaign.columns(metric):
            if not is_number(runs, column):
                continue
            for (case, *values), group in runs.groupby(["case", *split], sort=False):
                found = spread(group, column)
                if found is not None:
                    place = map(listed.value_text, values)
                    name = plain_label(column)
                    rows.append([name, str(case), *place, *_numbers(found)])
    if not rows:
        return
    head = ["metric", "case", *map(plain_label, split), *HEAD]
    yield from markdown(head, rows, numbers_from=2)


def _numbers(found: Spread) -> list[str]:
    """The cells of a row behind its place."""
    return [
        str(found.networks),
        str(found.runs),
        digits(found.mean),
        digits(found.within),
        _or_dash(found.percent),
        str(found.of_networks),
        _or_dash(found.between),
        _or_dash(found.share),
    ]


def _or_dash(value: float | None) -> str:
    return "-" if value is None else digits(value)
