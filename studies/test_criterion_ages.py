"""The ages of criteria are those of the repository's history."""

import csv
import io

import pytest

from analysis.published import ages, ledger
from mpbench.errors import UserError
from studies import criterion_ages


def test_the_committed_ages_are_those_of_the_history() -> None:
    """But for criteria that entered the ledger with, or after, the table of ages."""
    try:
        text = criterion_ages.table()
        newest = criterion_ages.commits_of(f"{criterion_ages.PUBLISHED}/{ages.NAME}")
    except UserError:
        pytest.skip("no history of the repository")
    path = criterion_ages.ROOT / criterion_ages.PUBLISHED / ages.NAME
    given = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    wanted = {row["criterion"]: row for row in csv.DictReader(io.StringIO(text))}
    since = newest[-1].time if newest else 0
    young = {
        key
        for (key, _), commit in criterion_ages.in_ledger().items()
        if commit.time >= since
    }
    for row in given:
        if row["criterion"] not in young:
            assert row == wanted[row["criterion"]]


def test_notation_makes_no_criterion_younger() -> None:
    old = {"threshold": "150.6", "rows": "case=lia", "margin": None}
    new = {"threshold": 150.6, "rows": "mpcc-fig-5a; case=lia"}
    assert criterion_ages.plain(old) == criterion_ages.plain(new)
    assert criterion_ages.plain({"value": 1}) != criterion_ages.plain({"value": 1.1})
    assert criterion_ages.plain({"rows": "a-b"}) == criterion_ages.plain({"rows": ""})


def test_a_date_alone_means_its_end() -> None:
    assert criterion_ages.end_of("1970-01-01") == 24 * 3600 - 1


def test_every_age_is_one_of_a_registered_criterion() -> None:
    folder = criterion_ages.ROOT / criterion_ages.PUBLISHED
    known = {line.id for line in ledger.read(folder / ledger.NAME)}
    assert set(ages.read(folder)) <= known
