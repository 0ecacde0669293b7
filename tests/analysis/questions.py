"""Made-up campaigns whose answer is known: case b beside case a in one network each."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from analysis.campaign import table
from analysis.campaign.answer import Answer, answer
from analysis.campaign.campaign import Campaign
from analysis.campaign.question import Question
from analysis.report import question_section

X, Y = "path1.delay_ms", "path2.delay_ms"
Factor = Callable[[float, float, str], float]
"""From the two delays and the case to the case's goodput over that of a."""


def row(point: int, case: str, goodput: float, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{point}{case}",
        "point": point,
        "case": case,
        "repetition": 0,
        "verdict": "ok",
        "reason": "",
        "protocol": "mptcp",
        "goodput_mbps": goodput,
        "srtt_ms": 1000 / goodput,
        **more,
    }


def networks(
    count: int, ratio: Factor, cases: Sequence[str] = ("a", "b"), seed: int = 1
) -> Campaign:
    """Networks with two delays of 1 to 50 ms, and 0.5 % of noise in the goodput."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(1, 50, (2, count))
    rows = []
    for point in range(count):
        base = random.uniform(5, 80)
        delays = {X: x[point], Y: y[point]}
        for case in cases:
            noise = 1 + random.normal(0, 0.005)
            goodput = base * ratio(x[point], y[point], case) * noise
            rows.append(row(point, case, goodput, **delays))
    return campaign(rows)


def campaign(rows: Sequence[dict[str, Any]], **more: Any) -> Campaign:
    given = {"factors": (X, Y), "listed": (), **more}
    return Campaign("made", table.build(rows), **given)


def answered(made: Campaign) -> Answer:
    found = answer(made)
    assert found is not None
    return found


def words(made: Campaign) -> str:
    return "\n".join(question_section.lines(answer(made), made, ()))


GOODPUT = Question("a", {"goodput": "more"}, points=8, asked=True)
