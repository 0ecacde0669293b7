"""The criterion of a published statement: how it is read as numbers."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from analysis.published import selection
from analysis.published.selection import Selection
from analysis.published.statistics import STATISTICS
from analysis.published.two_sample import TWO_SAMPLE

RELATIONS = ("<", ">", "=", "about", "insignificant", "")
NUMBERS = ("above", "up_to", "threshold", "tolerance", "margin")
KEYS = (
    "statistic",
    "metric",
    "criterion",
    "above",
    "up_to",
    "threshold",
    "relation",
    "value",
    "tolerance",
    "margin",
    "count",
    "of",
    "rows",
    "against",
    "against_metric",
    "over",
)
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Criterion:
    """How a statement is read as numbers.

    statistic : a name of statistics.STATISTICS or two_sample.TWO_SAMPLE
    metric, criterion : columns of the table of runs; criterion may be ""
    above, up_to : the batch ]above, up_to] of |criterion|; None where it has no end
    threshold : for statistics that count runs above or below it
    relation : what the statistic must be: `<`, `>` or `=` to `value`; `about`, within
        `tolerance` of it; `insignificant`, no effect larger than `margin`; or "",
        which compares nothing
    value : a number; the name of another metric, whose same statistic is meant; or ""
    margin : the largest effect that counts as none; None where nobody registered one
    count, of : the published count and its total. `of` is 0 where no count is
        published, and -1 where the total is not printed and is taken to be ours
    rows : the runs that the statement is about
    against : the runs that they are compared with, or None
    against_metric : the metric of `against`; "" for `metric`
    over : the runs by whose metric both sets are divided first, each by those of its
        own campaign, network by network; or None
    """

    statistic: str
    metric: str = ""
    criterion: str = ""
    above: float | None = None
    up_to: float | None = None
    threshold: float = 0.0
    relation: str = ""
    value: str = ""
    tolerance: float = 0.0
    margin: float | None = None
    count: int | None = None
    of: int = 0
    rows: Selection = field(default_factory=Selection)
    against: Selection | None = None
    against_metric: str = ""
    over: Selection | None = None

    @property
    def number(self) -> float | None:
        """The value, if it is a number; 0 if it is left out; None for a metric."""
        try:
            return float(self.value or 0)
        except ValueError:
            return None

    @property
    def scored(self) -> bool:
        return bool(self.relation)

    def campaigns(self) -> set[str]:
        """The campaigns that the criterion names."""
        names = {self.rows.campaign, self.against.campaign if self.against else ""}
        return names - {""}


def normal(values: Values) -> dict[str, Any]:
    """The keys that are set, in the order of KEYS, with whole numbers as int."""
    known = {key: values[key] for key in KEYS if values.get(key) not in (None, "")}
    return {key: _plain(value) for key, value in known.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def digest(values: Values) -> str:
    """SHA-256 of a criterion's keys, or of another mapping of plain values."""
    text = json.dumps(dict(values), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def parse(values: Values) -> Criterion:
    """The criterion with these keys. Raises ValueError that says what is wrong."""
    unknown = [key for key in values if key not in KEYS]
    if unknown:
        raise ValueError(f"{unknown[0]}: unknown key; has {', '.join(KEYS)}")
    known = normal(values)
    statistics = (*STATISTICS, *TWO_SAMPLE)
    for name, choices in (("statistic", statistics), ("relation", RELATIONS)):
        if known.get(name, "") not in choices:
            shown = ", ".join(filter(None, choices))
            raise ValueError(f"{name} {known.get(name, '')!r}; has {shown}")
    against = str(known.get("against", ""))
    if known["statistic"] in TWO_SAMPLE and not against:
        raise ValueError(
            f"{known['statistic']} needs runs to compare with in 'against'"
        )
    over = _over(known)
    numbers = {name: _finite(name, known[name]) for name in NUMBERS if name in known}
    count, of = _published(known)
    text = {name: str(known.get(name, "")) for name in KEYS}
    return Criterion(
        statistic=text["statistic"],
        metric=text["metric"],
        criterion=text["criterion"],
        above=numbers.get("above"),
        up_to=numbers.get("up_to"),
        threshold=numbers.get("threshold", 0.0),
        relation=text["relation"],
        value=text["value"],
        tolerance=numbers.get("tolerance", 0.0),
        margin=numbers.get("margin"),
        against_metric=text["against_metric"],
        count=count,
        of=of,
        rows=selection.read(text["rows"]),
        against=selection.read(against) if against else None,
        over=over,
    )


def _over(known: Values) -> Selection | None:
    """The runs by whose metric others are divided."""
    text = str(known.get("over", ""))
    over = selection.read(text) if text else None
    if over is not None and over.campaign:
        raise ValueError(
            f"over: {over.campaign!r} names a campaign; give conditions only, since "
            "runs are divided by those of their own campaign"
        )
    return over


def _published(known: Values) -> tuple[int | None, int]:
    """The published count and its total."""
    of = known.get("of", 0)
    if of == "ours":
        of = -1
    if not isinstance(of, int) or of < -1 or isinstance(of, bool):
        raise ValueError(f"of: {of!r}; give the number of networks, or 'ours'")
    count = known.get("count")
    if count is None:
        return None, of
    if not isinstance(count, int) or of < 1 or not 0 <= count <= of:
        raise ValueError(f"count: {count!r} of {of}; give a whole number of the total")
    return count, of


def _finite(name: str, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name}: {value!r} is no finite number")
    return number
