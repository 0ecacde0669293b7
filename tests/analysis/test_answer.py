"""The answer to a question, on campaigns whose answer is known."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.campaign import turning
from analysis.campaign.answer import Outcome, answer, further, judged
from analysis.campaign.columns import label
from analysis.campaign.comparison import Interval
from analysis.campaign.leaders import Leader, best_in_all, leaders
from analysis.campaign.question import Question, metric_words, usual
from analysis.campaign.turning import Side, Split
from analysis.figures.words import metric
from analysis.report import question_section, turning_words
from analysis.report.question_words import amount, signed
from tests.analysis.questions import (
    GOODPUT,
    X,
    Y,
    answered,
    campaign,
    networks,
    row,
    words,
)
from tests.parts import part


def ten_percent(x: float, y: float, case: str) -> float:
    """Case b has 10 % more, only where x is above 20 ms."""
    return 1.1 if case == "b" and x > 20 else 1.0


def test_the_factor_that_decides_is_named() -> None:
    made = replace(networks(40, ten_percent), question=GOODPUT)
    [found] = answered(made).contrasts
    assert found.turn is not None and found.turn.factor == X
    assert found.turn.between is not None
    low, high = found.turn.between
    assert low <= 20 <= high and 15 < float(found.turn.at) < 25
    assert found.turn.high.gain.estimate == pytest.approx(10, abs=1)
    assert found.turn.low.gain.estimate == pytest.approx(0, abs=1)
    text = words(made)
    assert "In goodput, `b` is better where path 1 delay is above" in text
    assert "and the same where path 1 delay is at most" in text
    assert "path 2 delay" not in text


def shuffled(count: int, seed: int) -> list[dict[str, object]]:
    """Half of the networks have 10 % more under b, whatever their delays are."""
    random = np.random.default_rng(seed)
    ratios = random.permutation([1.1, 0.9] * (count // 2))
    places = random.uniform(1, 50, (count, 2))
    return [
        row(point, case, 10 * (ratio if case == "b" else 1.0), **{X: x, Y: y})
        for point, (ratio, (x, y)) in enumerate(zip(ratios, places, strict=True))
        for case in ("a", "b")
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shuffled_networks_decide_nothing(seed: int) -> None:
    made = campaign(shuffled(40, seed), question=GOODPUT)
    [found] = answered(made).contrasts
    assert found.outcome == "undecided" and found.turn is None
    text = words(made)
    assert "`b` is undecided against `a` in goodput." in text
    assert "No factor of the design was found to decide this comparison" in text
    assert " same within" not in text.split("Each difference")[0]


def test_few_shuffled_campaigns_have_a_factor() -> None:
    found = [
        answered(campaign(shuffled(24, seed), question=GOODPUT)).contrasts[0].turn
        for seed in range(24)
    ]
    assert sum(turn is not None for turn in found) <= 4  # 1 is expected


def test_it_turns_round() -> None:
    made = networks(40, lambda x, y, c: 1 if c == "a" else 1.3 if y > 30 else 0.8)
    text = words(replace(made, question=GOODPUT))
    assert "It turns round with path 2 delay: where path 2 delay is above" in text
    assert "worse where path 2 delay is at most" in text


def test_a_second_factor_within_a_side() -> None:
    made = networks(120, lambda x, y, c: 1.2 if c == "b" and x > 25 and y > 25 else 1.0)
    text = words(replace(made, question=GOODPUT))
    assert text.count("it depends on path") == 1 and "too: where path" in text


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.1, 3.0, "better"),
        (0.0, 3.0, "undecided"),
        (-3.0, -0.1, "worse"),
        (-3.0, 0.0, "undecided"),
        (-2.0, 2.0, "same"),
        (-2.1, 2.0, "undecided"),
        (-2.0, 2.1, "undecided"),
        (0.5, 1.5, "same"),
        (None, None, "undecided"),
    ],
)
def test_the_whole_interval_decides(
    low: float | None, high: float | None, outcome: Outcome
) -> None:
    assert judged(Interval(0.0, low, high), 2.0) == outcome


def test_further_networks_on_paper() -> None:
    # Half of the width to 0 halves with four times as many networks.
    assert further(Interval(3.0, -3.0, 9.0), 0.0, 10) == 30
    # The other end decides for a difference below 0.
    assert further(Interval(-3.0, -30.0, 3.0), 0.0, 10) == 30
    # Within a margin of 2 around a median of 0, a half width of 4 has to halve.
    assert further(Interval(0.0, -4.0, 4.0), 2.0, 10) == 30
    assert further(Interval(0.0, -4.0, 4.0), 0.0, 10) is None
    # The nearer of the two decisions counts: 4 to 0 is a factor of 1.5.
    assert further(Interval(4.0, -2.0, 10.0), 2.0, 8) == 10
    # The end that is farther from its side of the margin decides: 3 against 2.
    assert further(Interval(1.0, -5.0, 4.0), 2.0, 10) == 80
    assert further(Interval(1.0, None, None), 2.0, 4) == 2
    assert further(Interval(1e-6, -4.0, 4.0), 0.0, 10) is None


def test_more_networks_by_a_command() -> None:
    made = networks(4, ten_percent)
    text = words(replace(made, question=GOODPUT))
    assert (
        "2 more networks would probably decide: `mpbench run FILE --points +2`" in text
    )
    grown = replace(GOODPUT, grown=True)
    assert "--points 10` keeps the runs so far" in words(replace(made, question=grown))
    none = replace(GOODPUT, points=None)
    assert "give the factors more values" in words(replace(made, question=none))


def test_what_many_open_comparisons_lack_is_said_once() -> None:
    """Four networks, and three of one case: each is open, for the same reason."""
    rows = [
        row(p, case, 10.0 + p * step, **{X: p, Y: 1.0})
        for p in range(4)
        for step, case in enumerate("abcd", start=1)
    ]
    told = words(campaign(rows, question=GOODPUT))
    remedy = "2 more networks would probably decide: `mpbench run FILE --points +2`."
    assert told.count("would probably decide") == 1
    assert f"All of this is undecided: an interval needs six networks. {remedy}" in told
    assert told.count("Better in 3 of 4.\n") == 3
    fewer = words(campaign([*rows[:3], *rows[4:]], question=GOODPUT))
    remedy = (
        "2 to 3 more networks would probably decide: `mpbench run FILE --points +3`"
    )
    assert remedy in fewer and fewer.count("would probably decide") == 1


def test_two_networks_are_both() -> None:
    rows = [
        row(p, case, 10.0 * goodput, **{X: p, Y: 1.0})
        for p in range(2)
        for case, goodput in (("a", 1), ("b", 2))
    ]
    assert "Better in both." in words(campaign(rows, question=GOODPUT))


def test_less_is_better() -> None:
    asked = Question("a", {"smoothed_rtt": "less"}, asked=True)
    made = networks(20, lambda x, y, c: 1.25 if c == "b" else 1.0)
    [found] = answered(replace(made, question=asked)).contrasts
    assert found.outcome == "better" and found.ahead == 20
    assert found.gain.estimate == pytest.approx(20, abs=0.5)
    text = words(replace(made, question=asked))
    assert "% lower smoothed RTT than `a` in the median of 20 networks" in text
    assert "better in all 20: better." in text


def test_zeros_of_the_baseline_give_the_metrics_own_unit() -> None:
    rows = [
        row(p, case, 10.0, **{X: p, Y: 1.0, "mean_queue_packets": queue})
        for p in range(8)
        for case, queue in (("a", 0.0), ("b", 3.0))
    ]
    asked = Question("a", {"mean_queue": "less"}, asked=True)
    [found] = answered(campaign(rows, question=asked)).contrasts
    assert (found.unit, found.outcome) == ("packets", "worse")
    assert found.gain.estimate == -3


def test_repetitions_are_no_networks() -> None:
    rows = [
        row(p, case, 10.0 + p + r / 10, repetition=r, **{X: p, Y: 1.0})
        for p in range(3)
        for case in ("a", "b")
        for r in range(10)
    ]
    [found] = answered(campaign(rows, question=GOODPUT)).contrasts
    assert len(found.gains) == 3 and found.gain.low is None


def test_one_network_is_told_as_one() -> None:
    rows = [row(0, "a", 10.0), row(0, "b", 11.0)]
    text = words(campaign(rows, question=GOODPUT, factors=()))
    assert "10 % higher goodput than `a` in the one network" in text
    assert "One network says nothing about others" in text
    rows = [
        row(0, c, 10.0 + r / 50 + (c == "b"), repetition=r)
        for c in ("a", "b")
        for r in range(7)
    ]
    text = words(campaign(rows, question=GOODPUT, factors=()))
    assert "in the median of 7 repetitions of the one network" in text


def sizes(count: int, ratio: Sequence[float]) -> list[dict[str, object]]:
    """Networks that each have three sizes; b has `ratio` of a with them."""
    random = np.random.default_rng(1)
    rows, point = [], 0
    for _ in range(count):
        delays = dict(zip((X, Y), random.uniform(1, 50, 2), strict=True))
        base = random.uniform(5, 50)
        for size, times in zip((8, 64, 512), ratio, strict=True):
            place = {**delays, "traffic.size_bytes": size * 1000}
            noise = random.uniform(0.99, 1.01)
            rows.append(row(point, "a", base, **place))
            rows.append(row(point, "b", base * times * noise, **place))
            point += 1
    return rows


def test_a_listed_factor_decides_within_networks() -> None:
    factors = (X, Y, "traffic.size_bytes")
    listed = {"listed": ("traffic.size_bytes",), "factors": factors}
    made = campaign(sizes(10, (1.0, 1.0, 1.5)), question=GOODPUT, **listed)
    [found] = answered(made).contrasts
    assert len(found.gains) == 10
    assert found.turn is not None
    assert (found.turn.factor, found.turn.at) == ("traffic.size_bytes", 64000)
    assert len(found.turn.high.gains) == len(found.turn.low.gains) == 10
    still = campaign(sizes(10, (1.0, 1.0, 1.0)), question=GOODPUT, **listed)
    assert (
        words(still)
        .split("\n\n")[1]
        .endswith(
            "Each network counts once, with the mean of its differences over the 3"
            " values of traffic size."
        )
    )
    assert "counts once" not in words(campaign(sizes(10, (1.0, 1.0, 1.0))))
    assert answered(still).contrasts[0].turn is None


def test_too_few_networks_are_told_with_their_numbers() -> None:
    """A first paragraph of nothing but "undecided" would say less than was measured."""
    ratio = {"a": 1.0, "b": 1.5, "c": 0.5}
    both = replace(GOODPUT, better={"goodput": "more", "smoothed_rtt": "less"})
    made = networks(2, lambda x, y, c: ratio[c], ("a", "b", "c"))
    first = words(replace(made, question=both)).splitlines()[2]
    assert re.match(
        r"In the median of 2 networks, beside `a`: `b` has (49|50)\S* % higher goodput"
        r" and 33\S* % lower smoothed RTT; `c` has (49|50)\S* % lower goodput and \S+ %"
        r" higher smoothed RTT\. What holds beyond them is undecided: an interval needs"
        r" six networks\.",
        first,
    ), first
    same = networks(1, lambda x, y, c: 1.0)
    level = same.runs.assign(goodput_mbps=10.0)
    first = words(replace(same, runs=level, question=GOODPUT)).splitlines()[2]
    assert first.startswith(
        "In the one network of this experiment, beside `a`: `b` has the same goodput."
        " What holds beyond it is undecided"
    ), first
    many = networks(2, lambda x, y, c: 1 + "abcdefgh".index(c) / 10, tuple("abcdefgh"))
    first = words(replace(many, question=both)).splitlines()[2]
    assert re.match(
        r"In the median of 2 networks, beside `a`: goodput from \S+ % higher \(`b`\) to"
        r" (69|70)\S* % higher \(`h`\); smoothed RTT from 41\S* % lower \(`h`\) to"
        r" \S+ % lower \(`b`\)\. What holds",
        first,
    ), first


def test_the_answer_begins_with_the_case_that_is_best_in_all_metrics() -> None:
    """The delay falls as the goodput rises, except that of d."""
    ratio = {"a": 1.0, "b": 1.1, "c": 1.3, "d": 1.5}
    both = replace(GOODPUT, better={"goodput": "more", "smoothed_rtt": "less"})
    made = networks(20, lambda x, y, c: ratio[c], ("a", "b", "c"))
    first = words(replace(made, question=both)).splitlines()[2]
    assert first.startswith("`c` is the only case among the best in both metrics. ")
    rows = networks(20, lambda x, y, c: ratio[c], ("a", "b", "c", "d"))
    slow = rows.runs["srtt_ms"].where(rows.runs["case"] != "d", 1e4)
    torn = replace(rows, runs=rows.runs.assign(srtt_ms=slow), question=both)
    first = words(torn).splitlines()[2]
    assert first.startswith("No case is among the best in both metrics: choose by")
    alone = words(replace(made, question=GOODPUT))
    level = networks(20, lambda x, y, c: 1.0, ("a", "b", "c"))
    for text in (alone, words(replace(level, question=both))):
        assert "among the best" not in text


def test_a_leader_is_told_with_the_networks_that_all_cases_have() -> None:
    """Otherwise its lead is not the difference that stands beside it."""
    ratio = {"a": 1.0, "b": 0.8, "c": 0.5}
    made = networks(20, lambda x, y, c: ratio[c], ("a", "b", "c"))
    lead = r"the next, `b`, is 2\S+ % lower \(95 % interval \S+ to \S+ %"
    whole = words(replace(made, question=GOODPUT))
    assert re.search(lead + r"\)\.", whole)
    few = made.runs[(made.runs["case"] != "c") | (made.runs["point"] > 2)]
    told = words(replace(made, runs=few, question=GOODPUT))
    assert re.search(lead + r"; in the 17 networks where all cases have it\)\.", told)


def test_a_factor_in_bytes_has_their_units() -> None:
    """`1.6e+07 bytes` is no size that anybody writes."""
    [contrast] = answered(replace(networks(8, ten_percent), question=GOODPUT)).contrasts
    side = Side(np.full(5, 10.0), Interval(10.0, 9.0, 11.0))
    split = Split("traffic.size_bytes", 1.6e7, (8e6, 3.2e7), 0.9, 0.01, side, side)
    assert turning_words._condition(split, True) == "where traffic size is above 16 MB"
    assert turning_words._sure(split).endswith("between 8 MB and 32 MB.")
    delay = replace(split, factor="path1.delay_ms", between=(8.0, 32.0))
    assert turning_words._sure(delay).endswith("between 8 and 32 ms.")
    assert turning_words._side(contrast, split, True, 2.0).startswith(
        "where traffic size is above 16 MB, better, 10 % higher (9 to 11 % higher,"
    )


def test_leaders_of_several_cases() -> None:
    ratio = {"a": 1.0, "b": 1.1, "c": 1.3, "d": 1.3}
    made = networks(20, lambda x, y, c: ratio[c], ("a", "b", "c"))
    lead = leaders(answered(replace(made, question=GOODPUT)))["goodput_mbps"]
    assert lead.case == "c" and set(lead.behind) == {"a", "b"} and not lead.level
    made = networks(20, lambda x, y, c: ratio[c], ("a", "c", "d"))
    lead = leaders(answered(replace(made, question=GOODPUT)))["goodput_mbps"]
    assert {lead.case, *lead.level} == {"c", "d"}
    assert (
        "`d` and `c` have the highest goodput"
        in (text := words(replace(made, question=GOODPUT)))
        or "`c` and `d` have the highest goodput" in text
    )
    assert "cannot be told apart" in text
    level = networks(20, lambda x, y, c: 1.0, ("a", "b", "c"))
    text = words(replace(level, question=GOODPUT))
    assert "No case leads in goodput: none can be told apart from the best." in text
    slow = networks(20, lambda x, y, c: 0.3 if c == "d" else 1.0, ("a", "b", "c", "d"))
    text = words(replace(slow, question=GOODPUT))
    assert "No case leads in goodput; only `d` is behind." in text
    bad = networks(20, lambda x, y, c: 2 - ratio[c], ("a", "b", "c"))
    assert leaders(answered(bad))["goodput_mbps"].case == "a"


def test_leaders_of_few_networks_that_are_alike_are_named_together() -> None:
    def made(ratio: float) -> str:
        gain = {"a": 1.0, "b": 1.3, "c": ratio}
        rows = [row(p, c, 10.0 * gain[c], **{X: p}) for p in range(3) for c in "abc"]
        return words(replace(campaign(rows), question=GOODPUT))

    assert (
        "Of all cases, `c` and `b` have the highest goodput in the median, the same to"
        " three digits; an interval needs six networks."
    ) in made(1.30001)
    alone = "Of all cases, `c` has the highest goodput in the median; an interval needs"
    assert alone in made(1.4)


def test_the_leader_of_one_network_needs_repetitions() -> None:
    """As the sentence before it says."""
    rows = [
        row(0, c, 10.0 * gain + r / 50, repetition=r)
        for r in range(4)
        for c, gain in (("a", 1), ("b", 1.3), ("c", 1.6), ("d", 1.1))
    ]
    told = words(replace(campaign(rows), question=GOODPUT))
    assert "is undecided: an interval needs six repetitions." in told
    leader = "`c` has the highest goodput in the median; an interval needs six"
    assert f"{leader} repetitions." in told and "six networks" not in told
    once = "All of this is undecided: an interval needs six repetitions. 2 more"
    assert f"{once} repetitions would probably decide: give `repetitions: 6`." in told


def test_equal_cases_of_few_networks_are_alike_where_less_is_better() -> None:
    late = {"call.message_delay_p95_ms": 40.0}
    rows = [row(p, c, 10.0, **{X: p}, **late) for p in range(3) for c in "abcdefgh"]
    asked = Question("a", {"goodput": "more", "call.message_delay_p95": "less"})
    told = words(replace(campaign(rows), question=asked))
    assert "beside `a`: the same goodput; the same message delay p95 in call." in told
    every = "`b`, `c`, `d`, `e`, `f`, `g`, `h` and `a`"
    assert f"Of all cases, {every} have the lowest message delay p95 in call" in told


def test_few_networks_that_disagree_are_counted_in_the_first_paragraph() -> None:
    def made(last: float) -> str:
        gains = (1.2, 1.1, last)
        rows = [
            row(p, c, 10.0 * (gains[p] if c == "b" else 1.0), **{X: p})
            for p in range(3)
            for c in "ab"
        ]
        return words(replace(campaign(rows), question=GOODPUT))

    assert "`b` has 10 % higher goodput (better in 2 of 3). What holds" in made(0.9)
    assert "`b` has 20 % higher goodput. What holds" in made(1.3)


def test_the_usual_question() -> None:
    metrics = ["traffic_split", "aggregation_benefit", "goodput", "jain", "mean_queue"]
    asked = usual(["a", "b"], metrics, {})
    assert asked is not None and not asked.asked
    assert (asked.baseline, dict(asked.better)) == (
        "a",
        {"goodput": "more", "jain": "more"},
    )
    assert usual(["a"], metrics, {}) is None
    assert usual(["a", "b"], ["traffic_split"], {}) is None
    only = usual(["a", "b"], ["aggregation_benefit"], {})
    assert only is not None and set(only.better) == {"aggregation_benefit"}
    own = usual(["a", "b"], ["mine.time_ms"], {"mine.time_ms": "less"})
    assert own is not None and own.better["mine.time_ms"] == "less"


def test_a_metric_of_a_phase() -> None:
    rows = [
        row(p, c, 10.0, **{X: p, Y: 1.0, "late.goodput_mbps": 5.0 * (1 + (c == "b"))})
        for p in range(8)
        for c in ("a", "b")
    ]
    asked = Question("a", {"late.goodput": "more", "late.jain": "more"}, asked=True)
    made = campaign(rows, question=asked)
    [found] = answered(made).contrasts
    assert found.column == "late.goodput_mbps" and found.gain.estimate == 100
    assert "`b` has 100 % higher goodput in late than `a`" in words(made)
    assert "Not compared: jain in late: no run that is ok has it" in words(
        made
    ).replace("Jain's fairness index", "jain")


def test_entries_that_are_not_added_are_answered_one_by_one() -> None:
    own = {"a": {"bulk": 2.0, "web": 5.0}, "b": {"bulk": 3.0, "web": 4.0}}
    rows = [
        row(p, c, float("nan"), **{f"{e}.goodput_mbps": g for e, g in each.items()})
        for p in range(8)
        for c, each in own.items()
    ]
    asked = Question("a", {"goodput": "more"}, asked=True)
    made = campaign(rows, factors=(), question=asked, entries=("bulk", "web"))
    assert answered(made).columns == ("bulk.goodput_mbps", "web.goodput_mbps")
    said = words(made)
    assert "`b` has 50 % higher goodput of `bulk` than `a`" in said
    assert "`b` has 20 % lower goodput of `web` than `a`" in said
    assert question_section.figure(answered(made)) is None


def test_nothing_to_answer() -> None:
    bad = [row(0, c, 10.0, verdict="failed") for c in ("a", "b")]
    assert answer(campaign(bad, question=GOODPUT)) is None
    apart = [row(p, c, 10.0, **{X: p, Y: 1}) for p, c in ((0, "a"), (1, "b"))]
    assert "no network in common" in words(campaign(apart, question=GOODPUT))


def test_the_first_paragraph_has_the_numbers_that_are_decided() -> None:
    both = Question("a", {"goodput": "more", "smoothed_rtt": "less"}, asked=True)
    rows = [
        row(p, c, 10.0 * (1.5 if c == "b" else 1.0), **{X: p, "srtt_ms": rtt})
        for p in range(8)
        for c, rtt in (("a", 50.0), ("b", 50.0 + (-1) ** p * 10), ("c", 50.0))
    ]
    text = words(campaign(rows, question=both, factors=(X,)))
    first = text.split("\n\n")[1]
    assert first.startswith(
        "`b` is better than `a` in goodput (+50 %; 95 % interval +50 to +50 %; in all"
        " 8 networks), undecided in smoothed RTT."
        " `c` is the same as `a` in goodput (0 %) and smoothed RTT (0 %)."
    )
    assert "`b` has the highest goodput in the median, 50 % of `a` ahead of" in first


def test_many_cases_are_told_by_metric() -> None:
    """The first paragraph says as much of six cases in one sentence."""
    factors = {"a": 1.0, "b": 1.5, "c": 1.2, "d": 1.0, "f": 0.8}
    rows = [
        row(p, c, 10.0 * factors.get(c, 1 + (-1) ** p * 0.3), **{X: p})
        for p in range(8)
        for c in "abcdef"
    ]
    text = words(campaign(rows, question=GOODPUT, factors=(X,)))
    assert text.split("\n\n")[1].startswith(
        "In goodput, `b` (+50 %) and `c` (+20 %) are better than `a`; `d` is the same;"
        " `e` is undecided; `f` (-20 %) is worse."
        " Of all cases, `b` has the highest goodput"
    )


def test_a_baseline_that_leads_is_not_ahead_of_itself() -> None:
    rows = [
        row(p, c, 10.0 * (1.5 if c == "a" else 1.0), **{X: p})
        for p in range(8)
        for c in ("a", "b", "c")
    ]
    text = words(campaign(rows, question=GOODPUT, factors=(X,)))
    assert "the highest goodput in the median; the next, `b`, is 33.3 % lower" in text


def test_traffic_that_ended_early_is_told_beside_the_answer() -> None:
    """A case that gave up has the shortest exchanges: the page says that it gave up."""
    rows = [
        row(point, case, 10 if case == "a" else 20, ended=ended, **{X: point, Y: 1})
        for point in range(8)
        for case, ended in (("a", "complete"), ("b", "given up" if point else "reset"))
    ]
    first = words(campaign(rows, question=GOODPUT)).split("\n\n")[1]
    assert "In runs of `b` (8 of 8), traffic ended before it was complete." in first
    done = [each | {"ended": "complete"} for each in rows]
    assert "before it was complete" not in words(campaign(done, question=GOODPUT))
    failed = [each | {"verdict": "failed"} for each in rows if each["case"] == "b"]
    kept = [each for each in rows if each["case"] == "a"]
    assert "(8 of 8)" not in words(campaign([*kept, *failed], question=GOODPUT))


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.34, "12.3 %"), (999.4, "999 %"), (999.6, "1000 %"), (-2272.0, "2270 %")],
)
def test_large_differences_are_plain_numbers(value: float, text: str) -> None:
    assert amount(value, "%") == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("handover.goodput", "goodput in handover"),
        ("pingpong.max_ms", "exchange time max"),
        ("chat.pingpong.max_ms", "exchange time max in chat"),
        ("during.tv.video.stalls", "video stalls in during, tv"),
    ],
)
def test_columns_of_tools_are_named_by_their_tool(name: str, text: str) -> None:
    assert metric_words(name) == text


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("pingpong.p95_ms", "exchange time p95 [ms]"),
        ("game.pingpong.p95_ms", "game exchange time p95 [ms]"),
        ("during.game.page.first_byte_s", "during game time to first byte [s]"),
        ("page.goodput_mbps", "page goodput [Mbit/s]"),
        ("page.own_ms", "page own [ms]"),
        ("iperf3.p95_ms", "iperf3 p95 [ms]"),
    ],
)
def test_a_column_of_a_tool_has_the_words_of_the_tool(column: str, text: str) -> None:
    """An entry that has the name of a tool keeps it."""
    assert label(column) == text


def test_every_number_of_a_tool_has_words() -> None:
    names = ("page", "pingpong", "sync", "video")
    for tool in (part(name, "columns") for name in names):
        assert {*getattr(tool, "TIMES", ()), *tool.PERCENTILES} <= {*tool.LABELS}
    video = part("video", "columns")
    assert {*video.WORSE_IF_MORE, video.BITRATE} == {*video.LABELS}


def test_titles_write_rtt_in_capitals() -> None:
    assert metric("smoothed_rtt") == "smoothed RTT"


@pytest.mark.parametrize(
    ("value", "words", "sign"),
    [
        (-0.000794, "under 0.01 %", "0 %"),
        (0.00999, "under 0.01 %", "0 %"),
        (0.01, "0.01 %", "+0.01 %"),
        (0.0, "0 %", "0 %"),
    ],
)
def test_no_digits_below_a_ten_thousandth(value: float, words: str, sign: str) -> None:
    assert (amount(value, "%"), signed(value, "%")) == (words, sign)
    assert amount(0.000794, "s") == "0.000794 s"


def test_kernels_are_compared_under_each_transport() -> None:
    """Case b beside a, and d beside c: each has a baseline of its own."""

    def ratio(x: float, y: float, case: str) -> float:
        return {"a": 1.0, "b": 0.5, "c": 3.0, "d": 3.0}[case]

    made = networks(12, ratio, cases=("a", "b", "c", "d"))
    asked = Question(
        "a",
        {"goodput": "more"},
        asked=True,
        baselines={"b": "a", "d": "c"},
        kernels={"a": "old", "b": "new", "c": "old", "d": "new"},
    )
    page = words(replace(made, question=asked))
    first = "**Does kernel `new` have higher goodput than kernel `old`, under each"
    assert page.startswith(f"{first} transport?**")
    assert "Kernel `new` (`b`) is worse than kernel `old` (`a`) in goodput (-" in page
    assert "Kernel `new` (`d`) is the same as kernel `old` (`c`) in goodput" in page
    assert "leads" not in page and "Of all cases" not in page


def test_a_page_says_where_kernels_are_not_paired() -> None:
    made = networks(8, lambda x, y, case: 1.0)
    asked = Question("a", {"goodput": "more"}, asked=True)
    words_of = "differences between kernels are those of unpaired runs"
    assert words_of not in words(replace(made, question=asked))
    assert words_of in words(replace(made, question=replace(asked, unpaired=True)))


@pytest.mark.parametrize("level, told", [(1, True), (2, False)])
def test_the_best_in_all_metrics_is_told_if_half_of_the_cases_are_behind(
    level: int, told: bool
) -> None:
    """Of four cases one leads, and of the three others so many are level with it."""
    ahead = dict.fromkeys(("b", "c", "d"), Interval(1.0, 0.5, 1.5))
    one = Leader("x", "a", ahead, tuple("bcd")[level:], 9)
    both = {"x": one, "y": replace(one, column="y")}
    assert (best_in_all(both) is not None) is told
    even = Leader("x", "a", {"b": ahead["b"], "c": ahead["c"]}, ("c",), 9)
    assert best_in_all({"x": even, "y": replace(even, column="y")}) == ("a", "b")


def test_the_comparisons_of_an_answer_share_the_limit_of_their_searches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    class Counted(turning.Search):
        def __init__(self, spread: Any, crossed: Any, comparisons: int = 1) -> None:
            asked.append(comparisons)
            super().__init__(spread, crossed, comparisons)

    monkeypatch.setattr(turning, "Search", Counted)
    made = networks(6, lambda x, y, c: 1.0 + (c == "b"), ("a", "b", "c", "d"))
    answered(replace(made, question=GOODPUT))
    assert asked == [3]
