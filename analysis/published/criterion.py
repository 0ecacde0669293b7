"""The criterion of a published statement, read as numbers."""

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
class Batch:
    """The batch ]above, up_to] of |criterion|; None where it has no end."""

    above: float | None = None
    up_to: float | None = None


@dataclass(frozen=True)
class Measure:
    """The number that is computed from runs.

    statistic : a name of statistics.STATISTICS or two_sample.TWO_SAMPLE
    metric, criterion : columns of the table of runs; criterion may be ""
    batch : the runs that count, by the criterion
    threshold : for statistics that count runs above or below it
    """

    statistic: str
    metric: str = ""
    criterion: str = ""
    batch: Batch = Batch()
    threshold: float = 0.0


@dataclass(frozen=True)
class Less:
    """The statistic is less than the value.

    margin : the largest effect that counts as none; None where nobody registered one
    """

    margin: float | None = None


@dataclass(frozen=True)
class More:
    """The statistic is greater than the value. margin : as of Less"""

    margin: float | None = None


@dataclass(frozen=True)
class Equal:
    """The statistic is the value."""


@dataclass(frozen=True)
class About:
    """The statistic is within `tolerance` of the value."""

    tolerance: float = 0.0


@dataclass(frozen=True)
class Insignificant:
    """There is no effect larger than `margin`; None where nobody registered one."""

    margin: float | None = None


Relation = Less | More | Equal | About | Insignificant


@dataclass(frozen=True)
class Count:
    """A published count of networks.

    count : None where the statistic's value is published in its place
    of : its total; None where that is not printed and is taken to be ours
    """

    count: int | None
    of: int | None


@dataclass(frozen=True)
class Sets:
    """The runs of a criterion.

    rows : the runs that the statement is about
    against : the runs that they are compared with, or None
    against_metric : the metric of `against`; "" for that of `rows`
    over : the runs by whose metric both sets are divided first, each by those of its
        own campaign, network by network; or None
    """

    rows: Selection = field(default_factory=Selection)
    against: Selection | None = None
    against_metric: str = ""
    over: Selection | None = None

    def campaigns(self) -> set[str]:
        """The campaigns that are named."""
        names = {self.rows.campaign, self.against.campaign if self.against else ""}
        return names - {""}


@dataclass(frozen=True)
class Criterion:
    """The reading of a statement as numbers.

    measure : the number that is computed
    sets : the runs that it is computed from
    wanted : the number that it is compared with, or the name of another metric, whose
        same statistic is meant
    relation : its relation to `wanted`; None compares nothing
    published : the count that `wanted` stands for, if one is published
    """

    measure: Measure
    sets: Sets
    wanted: float | str = 0.0
    relation: Relation | None = None
    published: Count | None = None

    @property
    def number(self) -> float | None:
        """The number that is wanted; None for a metric."""
        return None if isinstance(self.wanted, str) else self.wanted

    @property
    def scored(self) -> bool:
        return self.relation is not None


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
    numbers = {name: _finite(name, known[name]) for name in NUMBERS if name in known}
    text = {name: str(known.get(name, "")) for name in KEYS}
    return Criterion(
        Measure(
            text["statistic"],
            text["metric"],
            text["criterion"],
            Batch(numbers.get("above"), numbers.get("up_to")),
            numbers.get("threshold", 0.0),
        ),
        Sets(
            selection.read(text["rows"]),
            selection.read(against) if against else None,
            text["against_metric"],
            _over(known),
        ),
        _wanted(text["value"]),
        _relation(text["relation"], numbers),
        _published(known),
    )


def _wanted(text: str) -> float | str:
    """A number, 0 if it is left out, or the name of a metric."""
    try:
        return float(text or 0)
    except ValueError:
        return text


def _relation(name: str, numbers: Mapping[str, float]) -> Relation | None:
    margin = numbers.get("margin")
    relations: Mapping[str, Relation] = {
        "<": Less(margin),
        ">": More(margin),
        "=": Equal(),
        "about": About(numbers.get("tolerance", 0.0)),
        "insignificant": Insignificant(margin),
    }
    return relations.get(name)


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


def _published(known: Values) -> Count | None:
    """The published count and its total."""
    of, count = known.get("of", 0), known.get("count")
    ours = of in ("ours", -1)
    if not ours and (not isinstance(of, int) or of < 0 or isinstance(of, bool)):
        raise ValueError(f"of: {of!r}; give the number of networks, or 'ours'")
    total = None if ours else of
    known_count = isinstance(count, int) and total and 0 <= count <= total
    if count is not None and not known_count:
        shown = -1 if ours else of
        raise ValueError(
            f"count: {count!r} of {shown}; give a whole number of the total"
        )
    return Count(count, total) if ours or total else None


def _finite(name: str, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name}: {value!r} is no finite number")
    return number
