"""Which campaigns belong to one publication, whose pages come from one build."""

from pathlib import Path

import yaml

from mpbench.store.layout import Results

PUBLICATIONS = {
    "balia": "papers",
    "nsdi11": "papers",
    "olia": "papers",
    "Wischik": "papers",
}
"""Which pages come from one build, by the first word of an experiment's `source`.

A word that is not here, such as `thesis`, stands for itself.
"""
OWN_BUILDS = {
    "simulator's TCP": "TCP as in a simulator",
    "direct acknowledgements": "direct acknowledgements",
    "BCube": "BCube",
    "htsim": "hosts as in htsim",
    "networks like those": "receive windows of MPCC",
}
"""Which pages have a build of their own, by a word that the `source` contains. They
need what the fabric learnt after the build of the other papers, but for the last one,
which draws nothing and was not executed again with MPCC's campaigns."""

LOSSES = "thesis with losses"
"""The name of the thesis's campaigns with losses: they were executed again when each
network got a seed of its own (studies/notes/rerun.md)."""
LOSSES_OF = ("thesis 5.2,", "thesis 6.2.1,")
"""The beginnings of their `source`."""

AGAIN = "seed per network"
"""The name of what was executed again when each network got a seed of its own."""
AGAIN_OF = (
    *("olia-scenario-a", "olia-scenario-b", "olia-scenario-b-tail"),
    *("olia-scenario-c", "two-bottlenecks", "nsdi11-torus", "rtt-compensation"),
)
"""The campaigns of the other papers that were (studies/notes/rerun.md)."""

ADDED = "figures that were added"
"""The name of what had no verdict until the other pages stood."""
ADDED_OF = (
    *("trapped-networks", "shared-window", "unequal-acks", "both-full"),
    "fattree-losses",
)
"""Its campaigns."""


def publication(source: str, experiment: str = "") -> str:
    """The publication whose pages name the same build.

    source : of an experiment file, such as `nsdi11 sec. 3, Fig. 9`
    experiment : the name of the file
    """
    if experiment in AGAIN_OF:
        return AGAIN
    if experiment in ADDED_OF:
        return ADDED
    if source.startswith(LOSSES_OF):
        return LOSSES
    for word, name in OWN_BUILDS.items():
        if word in source:
            return name
    word = next(iter(source.split()), "")
    return PUBLICATIONS.get(word, word)


def source(folder: Path) -> str:
    """The `source` of the experiment as it was run."""
    text = Results(folder).experiment.read_text(encoding="utf-8")
    return str(yaml.load(text, yaml.CSafeLoader).get("source") or "")


MOVED = "controls with moved delays"
"""The name of the controls of campaigns in which nothing draws from the seed."""
MOVED_OF = frozenset(
    f"{file.stem}-v091-control" for file in Path(__file__).parent.glob("control/*.yaml")
)
"""Its campaigns, under v091 alone so far. They were executed later than the
campaigns that they are compared with, in a build of their own."""

REACH = "reach-"
"""The beginning of the names of campaigns over networks that a paper does not print.
They have a build of their own, because no page shows them beside other campaigns."""


def of(folder: Path) -> str:
    """The publication that a campaign's rows are kept with.

    folder : of results or of kept rows
    """
    return kept_with(folder.name, source(folder))


def kept_with(campaign: str, source: str) -> str:
    """The publication that the rows of a campaign with this `source` are kept with."""
    if campaign.startswith(REACH):
        return "reach"
    if campaign in MOVED_OF:
        return MOVED
    return publication(source, campaign)
