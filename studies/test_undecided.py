"""The page on undecided sentences has each of them, and nothing that is decided."""

import re

from studies import undecided
from studies.reference_index import PAPERS, REFERENCE


def test_the_page_has_every_undecided_sentence_of_an_index() -> None:
    text = undecided.TARGET.read_text(encoding="utf-8")
    for folder in PAPERS:
        if not (REFERENCE / folder / "verdicts.csv").is_file():
            continue
        for setting, names in undecided.undecided(REFERENCE / folder).items():
            row = rf"^\| .+ \| \[{folder}\]\(\S+\) \| {setting} \|"
            assert len(re.findall(row, text, re.MULTILINE)) == len(names), setting


def test_a_number_is_rounded_up_to_two_digits() -> None:
    given = (6, 98, 101, 1234, 1290)
    assert [undecided.rounded(n) for n in given] == ["6", "98", "110", "1,300", "1,300"]
