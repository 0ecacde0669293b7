"""Theory in figures over time: the levels of each case, and their numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.campaign.campaign import Campaign
from analysis.campaign.numbers import digits
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.kinds.over_time.request import OverTime
from analysis.figures.theory_over_time import Expected, Solved, expected
from analysis.run.quantities import QUANTITIES

MOST_LEVELS = 4
"""Levels of a line whose numbers stand below the figure."""


@dataclass(frozen=True)
class CaseTheory:
    """Predictions of the models for one case.

    by_quantity : by the quantity, of all models
    reasons : why models say nothing
    """

    by_quantity: Mapping[str, Sequence[Expected]]
    reasons: Sequence[str]


def of_case(request: OverTime, campaign: Campaign, case: str) -> CaseTheory:
    """Predictions of the request's models for the run of a case, of the users shown.

    Raises UndrawableError if the campaign has no experiment.
    """
    if not request.theory:
        return CaseTheory({}, [])
    if campaign.settings is None:
        raise UndrawableError("theory needs the experiment file, which cannot be read")
    solved = Solved()
    found: dict[str, list[Expected]] = {name: [] for name in request.quantities}
    reasons = []
    for theory in request.theory:
        try:
            stretches = campaign.settings.over_time(request.point, case)
            for quantity, lines in found.items():
                lines += [
                    line
                    for line in expected(theory, stretches, quantity, solved)
                    if not request.users or line.host in request.users
                ]
        except ValueError as error:
            reasons.append(f"{theory.words}: {case}: {error}")
    return CaseTheory(found, reasons)


def check(request: OverTime, cases: Sequence[CaseTheory]) -> None:
    """Raises UndrawableError if a model says nothing about any case."""
    known = {
        line.model
        for case in cases
        for lines in case.by_quantity.values()
        for line in lines
    }
    for theory in request.theory or ():
        if theory.words not in known:
            reasons = [reason for case in cases for reason in case.reasons]
            own = [r for r in reasons if r.startswith(f"{theory.words}: ")]
            raise UndrawableError((own or [f"{theory.words}: nothing to show"])[0])


def note(by_case: Mapping[str, CaseTheory]) -> str:
    """The numbers of theory, for below the figure; empty without theory."""
    texts: dict[tuple[str, str], dict[str, list[str]]] = {}
    for case, theory in by_case.items():
        for quantity, lines in theory.by_quantity.items():
            for model in dict.fromkeys(line.model for line in lines):
                own = [_numbers(line) for line in lines if line.model == model]
                same = texts.setdefault((model, quantity), {})
                same.setdefault("; ".join(filter(None, own)), []).append(case)
    if not texts:
        return ""
    sentences = []
    for (model, quantity), numbers in texts.items():
        whole = len(numbers) == 1 and len(next(iter(numbers.values()))) == len(by_case)
        parts = [
            text if whole else f"{', '.join(cases)}: {text}"
            for text, cases in numbers.items()
            if text
        ]
        if parts:
            words = QUANTITIES[quantity].words
            sentences.append(f" {model}, {words}: {'; '.join(parts)}.")
    return (
        " The theory follows from the runs' parameters and the payload of full"
        f" packets.{''.join(sentences)}"
    )


def _numbers(line: Expected) -> str:
    """The numbers of one line; empty if they are many."""
    if len(line.levels) > MOST_LEVELS:
        return ""
    if len(line.levels) == 1:
        return f"{digits(line.levels[0].value)} for {line.names[0]}"
    spans = [
        f"{digits(v.value)} from {v.start_s:g} to {v.end_s:g} s" for v in line.levels
    ]
    return f"{', '.join(spans)} for {line.names[0]}"
