"""The output of any program in a fake run: lines that its entry's patterns match."""

import re._constants as kinds
import re._parser as parser
from collections.abc import Mapping, Sequence
from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.command.record import Command

CATEGORIES = {
    kinds.CATEGORY_DIGIT: "7",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_DIGIT: "-",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_NOT_WORD: " ",
}


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Command)
    lines: dict[str, list[str]] = {"client": [], "server": []}
    for each in entry.numbers:
        lines[each.of].append(example(each.pattern, f"{flow.seconds:.0f}"))
    ends = ["client", *(["server"] if entry.server is not None else [])]
    return {
        f"traffic-{index}-{end}.txt": "".join(f"{x}\n" for x in lines[end]).encode()
        for end in ends
    }


def connections(_entry: Entry, _flow: Flow) -> int:
    return 2


def example(pattern: str, number: str) -> str:
    """A line that a pattern matches, mostly with `number` in each of its groups.

    Empty if the pattern is beyond Python's syntax, so that no number is found in it.
    """
    try:
        tree = parser.parse(pattern)
    except (parser.error, OverflowError, RecursionError):
        return ""
    names = {group: name for name, group in tree.state.groupdict.items()}
    return _text(tree, names, number)


def _text(tree: Sequence[Any], names: Mapping[int, str], number: str) -> str:
    return "".join(_item(kind, value, names, number) for kind, value in tree)


def _item(kind: Any, value: Any, names: Mapping[int, str], number: str) -> str:
    if kind is kinds.LITERAL:
        return chr(value)
    if kind is kinds.NOT_LITERAL:
        return "b" if value == ord("a") else "a"
    if kind is kinds.ANY:
        return "a"
    if kind is kinds.IN:
        return _one_of(value)
    if kind is kinds.BRANCH:
        return _text(value[1][0], names, number)
    if kind is kinds.SUBPATTERN:
        group, _, _, inner = value
        return number if group in names else _text(inner, names, number)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        least, most, inner = value
        count = int(min(max(least, 1), most))
        return _text(inner, names, number) * count
    return ""


def _one_of(choices: Sequence[tuple[Any, Any]]) -> str:
    kind, value = choices[0]
    if kind is kinds.NEGATE:
        return "~"
    if kind is kinds.RANGE:
        return chr(value[0])
    if kind is kinds.CATEGORY:
        return str(CATEGORIES.get(value, "a"))
    return chr(value)
