"""A publication with two figures, and campaigns that answer what it says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.figures.style import Look
from analysis.published import criterion as criteria
from analysis.published import (
    publication,
    statements,
)
from analysis.published.statements import Statement
from analysis.report import publication_pages
from analysis.report.publication import Publication, Reproduced
from tests.analysis import campaign
from tests.analysis.requests import asked

BOX = asked(
    "box",
    metric="experimental_aggregation_benefit",
    criterion={"factor": "capacity"},
    after="Fig. 3.4a",
)
SHEETS = (
    publication.Sheet("figure-3.4", "benefit", "Fig. 3.4, p. 25", "3.4", ("a", "b")),
    publication.Sheet("table-5.3", "fairness", "Table 5.3", link="../x.md"),
    publication.Sheet("figure-9.9", "nothing", "Fig. 9.9", "9.9", ("c",)),
)


def made(name: str, seed: int, **columns: Any) -> Campaign:
    runs = table.build(campaign.rows(40, seed)).assign(**columns)
    return Campaign(name, runs, campaign.FACTORS, made={"kernel": "k"})


def publication_of(said: Sequence[statements.Statement], **more: Any) -> Publication:
    sheets = more.pop("sheets", SHEETS)
    return Publication("Somebody, 2017", "pages.yaml", sheets, said, **more)


def said(name: str = "s", words: str = "it is large", **keys: Any) -> Statement:
    """A statement about the median goodput of campaign `a`."""
    plain = {"statistic": "median", "metric": "goodput_mbps", "relation": ">"}
    values = criteria.normal({**plain, "value": 1000, "rows": "a", **keys})
    return Statement(
        id=name,
        section="1",
        page="2",
        figure="3.4a",
        statement=words,
        criterion=criteria.parse(values),
        values=values,
    )


def write(
    folder: Path, *more: Statement, results: Sequence[Campaign] = (), **settings: Any
) -> tuple[Reproduced, ...]:
    known = results or (made("a", 1), made("b", 2, goodput_mbps=2000.0))
    return publication_pages.write(
        publication_of((said(), *more), **settings),
        {campaign.name: campaign for campaign in known},
        {campaign.name: (BOX,) for campaign in known},
        folder,
        Look(formats=("png",)),
        redraws=50,
    )
