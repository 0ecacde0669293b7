"""Queue disciplines and impairments of links in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mpbench.spec.impairments import Settings
from mpbench.spec.link_traits import NUMBERS, UP, WAYS, Both
from mpbench.spec.queues import Given
from mpbench.spec.worded_traits import WORDED
from topologies.queues import DROP_TAIL


def words(traits: Mapping[str, Both[Any]]) -> Iterator[str]:
    """One text per trait, or per direction where the directions differ."""
    for key, both in traits.items():
        if both.alike:
            yield _one(key, both.up)
            continue
        for way in WAYS:
            value = both.up if way == UP else both.down
            if value is not None:
                yield f"{way} {_one(key, value)}"


def _one(key: str, value: Any) -> str:
    if key in _WORDS:
        return _WORDS[key](value)
    found = NUMBERS[key]
    return f"{key} {value}" if found.whole else f"{key} {value:g} {found.unit}"


def _discipline(given: Given) -> str:
    return "drop tail" if given.name == DROP_TAIL else given.name


def _burst_loss(given: Settings) -> str:
    loss = given.made
    return f"burst loss {loss.share_percent if loss else 0:.3g} %"


def _reordering(given: Settings) -> str:
    order = given.made
    return f"reordering {order.share_percent if order else 0:g} %"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "discipline": _discipline,
    "burst_loss": _burst_loss,
    "reordering": _reordering,
    **{key: trait.words for key, trait in WORDED.items()},
}
