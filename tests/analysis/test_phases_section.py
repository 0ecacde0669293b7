"""Sentences on links that change, on campaigns whose answer is known."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from analysis.campaign.answer import answer
from analysis.campaign.campaign import Campaign
from analysis.campaign.phase_values import phase_values
from analysis.campaign.question import Question
from analysis.report import phases_section, question_section
from tests.analysis.questions import X, Y, answered, campaign, row

PHASES = {"before": (0.0, 4.0), "during": (4.0, 7.0), "after": (7.0, 11.0)}
PARTS = {"before": 1.0, "during": 0.5, "after": 1.0}
"""Goodput of a phase over that of the first."""
ASKED = Question("a", {"goodput": "more", "call.message_delay_p95": "less"})


def made(networks: int, cases: str = "ab", **changed: Any) -> Campaign:
    """Case b has 20 % more than case a in `during`, and a delay that is 10 ms less."""
    rows = []
    for point in range(networks):
        goodput = 10.0 + point
        for number, case in enumerate(cases):
            more: dict[str, Any] = {X: 5.0 + point, Y: 7.0}
            more["call.message_delay_p95_ms"] = 40.0 + number
            for phase, part in PARTS.items():
                gain = 1.2 if number and phase == "during" else 1.0
                more[f"{phase}.goodput_mbps"] = goodput * part * gain
                late = 40.0 if phase == "during" else 20.0
                less = 10.0 if number else 0.0
                more[f"{phase}.call.message_delay_p95_ms"] = late - less
                silent = 0.5 if phase == "during" and not number else 0.0
                more[f"{phase}.interruption_s"] = silent
            rows.append(row(point, case, goodput, **more))
    given = {"question": ASKED, "changing": ("wifi",), "phases": PHASES, **changed}
    return campaign(rows, **given)


def text(of: Campaign) -> str:
    found = answer(of)
    return "\n".join(phases_section.lines(phases_section.values(found, of), found, of))


HEAD = (
    "**What happens when `wifi` changes?** The phases are `before` (0 to 4 s), `during`"
    " (4 to 7 s) and `after` (7 to 11 s)."
)
LATER = [
    "- Goodput in `during`, in percent of that in `before`: 50 % with `a` and 60 % with"
    " `b`. Beside `a` it is better with `b` (+20 %).",
    "- Goodput in `after`, in percent of that in `before`: 100 % with `a` and 100 %"
    " with `b`. Beside `a` it is the same with `b`.",
    "- Message delay p95 in call in `before`: 20 ms with `a` and 10 ms with `b`.",
    "- Message delay p95 in call in `during`: 40 ms with `a` and 30 ms with `b`. Beside"
    " `a` it is better with `b` (-25 %).",
    "- Message delay p95 in call in `after`: 20 ms with `a` and 10 ms with `b`. Beside"
    " `a` it is better with `b` (-50 %).",
    "- Longest time without data in `during`: 0.5 s with `a` and 0 s with `b`. Beside"
    " `a` it is better with `b` (-100 %).",
]


def test_the_sentences_of_two_cases() -> None:
    told = text(made(8))
    head, empty, first, *later = told[: told.index("\n\n| case")].splitlines()
    assert (head, empty, later) == (HEAD, "", LATER)
    # The interval of a median depends on resamples; its ends are tested elsewhere.
    assert first.startswith("- Goodput in `before`: 13.5 Mbit/s (")
    assert "`during`: longest time without data [s]" in told
    assert "| a | 13.5 (" in told
    assert "A delay belongs to the phase in which its message or request began" in told


def test_many_cases_are_told_by_their_ends() -> None:
    told = text(made(8, "abcdef"))
    assert "in percent of that in `before`: from 50 % with `a` to 60 % with `f`" in told
    assert "Beside `a` it is the same with every other case." in told
    assert told.count("\n| ") == 8


def test_few_networks_have_no_intervals() -> None:
    told = text(made(3))
    assert "Beside" not in told and " to 15" not in told
    assert told.rstrip().endswith("An interval needs six networks.")


@pytest.mark.parametrize(("count", "words"), [(8, "with its 95 %"), (3, "An interval")])
def test_the_repetitions_of_one_network_are_no_networks(count: int, words: str) -> None:
    runs = made(count).runs.assign(**{X: 5.0, Y: 7.0, "point": 0})
    runs["repetition"] = runs.groupby("case").cumcount()
    told = text(replace(made(count), runs=runs)).splitlines()[-1]
    assert told.startswith("Each number is a median over repetitions")
    assert words in told and "network" not in told


@pytest.mark.parametrize(
    "changed",
    [
        {"phases": {}},
        {"phases": {"before": (0.0, 4.0)}},
        {"phases": {"x": (0.0, 1.0), "y": (1.0, 2.0)}},
        {"question": Question("a", {"jain": "more"})},
    ],
)
def test_nothing_is_told_where_nothing_changes(changed: dict[str, Any]) -> None:
    assert text(made(8, **changed)) == ""


def test_phases_that_differ_between_runs_have_no_times() -> None:
    told = text(made(8, phases=dict.fromkeys(PHASES)))
    assert "`during` and `after`, whose times differ between networks." in told


def test_repetitions_of_a_network_are_averaged() -> None:
    once = made(8)
    twice = once.runs.copy()
    twice["repetition"] = 1
    twice["during.goodput_mbps"] = twice["during.goodput_mbps"] * 3
    both = replace(once, runs=pd.concat([once.runs, twice], ignore_index=True))
    (goodput, *_) = phase_values(both, answered(both))
    assert goodput.parts["during"]["a"].estimate == pytest.approx(1.0)
    assert goodput.parts["after"]["a"].estimate == pytest.approx(1.0)


def test_a_background_entry_answers_a_question_without_its_name() -> None:
    asked = Question("a", {"message_delay_p95": "less"})
    found = answered(made(8, question=asked, background=("call",)))
    assert found.columns == ("call.message_delay_p95_ms",)
    assert found.contrasts[0].metric == "call.message_delay_p95"
    lacking = answered(made(8, question=asked))
    assert not lacking.contrasts and "no run that is ok has it" in lacking.left_out[0]


def test_metrics_of_a_background_entry_have_columns() -> None:
    of = made(8, background=("call",))
    assert of.columns("message_delay_p95") == ["call.message_delay_p95_ms"]
    assert of.columns("goodput") == ["goodput_mbps"]


def at_change(of: Campaign) -> str:
    found = answer(of)
    return phases_section.summary(phases_section.values(found, of), found, of)


def test_the_answer_says_what_happens_at_the_change() -> None:
    of = made(3)
    of = replace(of, runs=of.runs.assign(interruption_s=[0.5, 0.0] * 3))
    assert at_change(of) == (
        "When `wifi` changes, goodput in `during` (4 to 7 s) is 5.5 Mbit/s with `a` and"
        " 6.6 Mbit/s with `b`; in `before` it is 11 Mbit/s with every case. The longest"
        " time without data in a whole run is 0.5 s with `a` and 0 s with `b`."
    )
    assert at_change(of) in "\n".join(
        question_section.lines(answer(of), of, [], at_change(of))
    )


def test_intervals_decide_at_the_change() -> None:
    told = at_change(made(8))
    assert told.endswith("Beside `a` it is, in `during`, better with `b` (+20 %).")


def test_goodput_at_the_change_is_told_unasked() -> None:
    of = made(3, question=Question("a", {"call.message_delay_p95": "less"}))
    assert "goodput in `during` (4 to 7 s) is 5.5 Mbit/s" in at_change(of)


def test_the_phase_of_the_question_is_told() -> None:
    of = made(3, question=Question("a", {"after.goodput": "more"}))
    assert "goodput in `after` (7 to 11 s) is 11 Mbit/s" in at_change(of)


def test_runs_that_are_never_interrupted_say_so() -> None:
    of = made(3)
    runs = of.runs.assign(interruption_s=0.0, **{"during.interruption_s": 0.0})
    told = at_change(replace(of, runs=runs))
    assert told.endswith("No run has an interval without data.")


def test_links_that_stay_have_no_sentence() -> None:
    assert at_change(made(3, changing=())) == ""
    assert at_change(made(3, phases={})) == ""


def without(of: Campaign, column: str, *cases: str) -> Campaign:
    """The campaign without the values of a column in some cases."""
    runs = of.runs.copy()
    runs.loc[runs["case"].isin(cases), column] = float("nan")
    return replace(of, runs=runs)


def test_a_phase_that_no_run_reaches_is_left_out() -> None:
    of = without(made(8), "during.goodput_mbps", "a", "b")
    told = at_change(of)
    assert told.startswith("When `wifi` changes, goodput in `after` (7 to 11 s) is ")
    assert "- Goodput in `after`" in text(of) and "- Goodput in `during`" not in text(
        of
    )
    assert "- Message delay p95 in call in `during`" in text(of)


@pytest.mark.parametrize("cases", ["abc", "abcdefg"])
def test_a_case_without_values_is_not_among_every_case(cases: str) -> None:
    whole, last = made(8, cases), cases[-1]
    assert "in `before` it is 13.5 Mbit/s with every case." in at_change(whole)
    assert "it is, in `during`, better with every other case." in at_change(whole)
    told = at_change(without(whole, "before.goodput_mbps", last))
    few = "13.5 Mbit/s with `a` and 13.5 Mbit/s with `b`"
    rest = few if len(cases) == 3 else "13.5 Mbit/s with 6 cases"
    assert f"in `before` it is {rest}." in told
    told = at_change(without(whole, "during.goodput_mbps", last))
    assert "every other case" not in told and f"`{last}` (+20 %)" not in told


def test_a_case_that_only_a_later_phase_has_is_told_in_its_unit() -> None:
    of = made(8)
    for phase, case in {"before": "b", "during": "b", "after": "a"}.items():
        of = without(of, f"{phase}.goodput_mbps", case)
    assert "- Goodput in `after`: 13.5 Mbit/s (" in text(of)
