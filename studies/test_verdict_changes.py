"""Verdicts that changed between two states of a page."""

from studies.verdict_changes import MOVED, NARROWER, NEW, WIDER, changes

HEAD = """\
| published | where | ours | 95 % interval | n | verdict | chance |
| --- | --- | --- | --- | --- | --- | --- |
"""
OLD = f"""\
# A page

{HEAD}| a holds | sec. 1 | median 0.50 | needs 6 | 5 | undecided | - |
| b holds | sec. 1 | median 0.50 | 0.40 to 0.60 | 9 | undecided | - |
| c holds | sec. 1 | median 0.50 | 0.45 to 0.55 | 9 | agrees | 90% |
| d holds | sec. 1 | -30% above 0.95 | -0.2 to -0.1 (exact test) | 9 | differs | - |
| e holds | sec. 1 | median 2 | 1 to 3 | 9 | agrees | - |

| another | table |
| --- | --- |
| a holds | sec. 1 |
"""
NOW = f"""\
{HEAD}| a holds | sec. 1 | median 0.51 | 0.4 to 0.6 | 10 | **differs** | 100% |
| b holds | sec. 1 | median 0.51 | 0.49 to 0.53 | 9 | agrees, fragile | - |
| c holds | sec. 1 | median 0.52 | 0.3 to 0.7 | 9 | undecided | 90% |
| d holds | sec. 1 | 20% above 0.95 | 0.1 to 0.3 (exact test) | 9 | agrees | - |
| e holds | sec. 1 | median 2.1 | 1 to 4 | 9 | agrees, fragile | - |
| f holds | sec. 1 | median 2.1 | 1 to 4 | 9 | agrees | - |
"""


def test_changed_verdicts_have_their_reason() -> None:
    rows = list(changes(OLD, NOW))
    assert rows == [
        "| a holds (sec. 1) | median 0.50, needs 6 (n = 5) | median 0.51, 0.4 to 0.6"
        f" (n = 10) | undecided | differs | {NEW} |",
        "| b holds (sec. 1) | median 0.50, 0.40 to 0.60 (n = 9) | median 0.51, 0.49 to"
        f" 0.53 (n = 9) | undecided | agrees | {NARROWER} |",
        "| c holds (sec. 1) | median 0.50, 0.45 to 0.55 (n = 9) | median 0.52, 0.3 to"
        f" 0.7 (n = 9) | agrees | undecided | {WIDER} |",
        "| d holds (sec. 1) | -30% above 0.95, -0.2 to -0.1 (exact test) (n = 9) | 20%"
        f" above 0.95, 0.1 to 0.3 (exact test) (n = 9) | differs | agrees | {MOVED} |",
    ]


def test_the_same_words_about_two_campaigns_are_kept_apart() -> None:
    row = "| g holds | sec. 2 | median 1 | 0 to 2 | {} | {} | - |\n"
    old = HEAD + row.format(30, "differs") + row.format(72, "agrees")
    assert list(changes(old, old)) == []
    new = HEAD + row.format(30, "differs") + row.format(72, "undecided")
    (found,) = changes(old, new)
    assert "(n = 72) | agrees | undecided |" in found


def test_an_agreement_that_depends_on_the_reading_is_undecided() -> None:
    row = "| g holds | sec. 2 | median 1 | 0 to 2 | 9 | {} | - |\n"
    (found,) = changes(
        HEAD + row.format("agrees"), HEAD + row.format("agrees, depends on the reading")
    )
    assert "| agrees | undecided |" in found
