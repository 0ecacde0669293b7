"""The list of protections fits the source, so that `make barriers` can break each."""

from collections import Counter
from pathlib import Path

import pytest

from tests.hostile.breakings import BREAKINGS, Breaking

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("breaking", BREAKINGS, ids=[each.name for each in BREAKINGS])
def test_a_breaking_applies(breaking: Breaking) -> None:
    text = (ROOT / breaking.file).read_text()
    assert text.count(breaking.old) == 1
    assert breaking.old != breaking.new
    assert (ROOT / breaking.tests[0]).exists()


def test_each_protection_is_there_once() -> None:
    assert max(Counter(each.name for each in BREAKINGS).values()) == 1
