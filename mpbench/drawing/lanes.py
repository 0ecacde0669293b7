"""Positions of the paths and links of a network in a drawing.

Each path is a lane, from its user on the left to its server on the right. A link is a
box over all lanes next to one another that take it in the same column, so that a tall
box is a shared link. Users and their paths are ordered so that few links need several
boxes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from mpbench.drawing.picture import Picture

MOST_ORDERED = 40
"""Lanes of a network whose users and paths are put in another order. More would take
long."""


MOST_LANES = 200
"""Lanes of a drawing."""


@dataclass(frozen=True)
class Lane:
    """A path. user : its number from 0; path : its number from 1"""

    user: int
    path: int
    links: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """A link, or a host, over the lanes from `first` to `last`.

    again : whether another box stands for the same link or host already
    """

    name: str
    column: int
    first: int
    last: int
    again: bool = False


@dataclass(frozen=True)
class Layout:
    """Positions of everything.

    columns : column of each link of each lane, from 0
    width : number of columns
    hidden : number of paths that are not drawn
    """

    lanes: tuple[Lane, ...]
    columns: tuple[tuple[int, ...], ...]
    width: int
    links: tuple[Box, ...]
    users: tuple[Box, ...]
    servers: tuple[Box, ...]
    hidden: int = 0


def arrange(picture: Picture) -> Layout:
    """The layout of a network. The same network gives the same layout."""
    groups = [
        [Lane(number, path, links) for path, links in enumerate(user.paths, start=1)]
        for number, user in enumerate(picture.users)
    ]
    column_of = _layers([lane.links for group in groups for lane in group])
    if sum(map(len, groups)) <= MOST_ORDERED:
        groups = _ordered(groups, column_of)
    every = tuple(lane for group in groups for lane in group)
    lanes = every[:MOST_LANES]
    columns = tuple(_columns(lane.links, column_of) for lane in lanes)
    names = [
        dict(zip(at, lane.links, strict=True))
        for at, lane in zip(columns, lanes, strict=True)
    ]
    width = max(max(at) for at in columns) + 1
    links = [box for c in range(width) for box in _runs([n.get(c) for n in names], c)]
    links.sort(key=lambda box: (box.first, box.column))
    users = _runs([picture.users[lane.user].host for lane in lanes], 0)
    servers = _runs([picture.users[lane.user].server for lane in lanes], width)
    return Layout(
        lanes,
        columns,
        width,
        _marked(links),
        _marked(users),
        _marked(servers),
        hidden=len(every) - len(lanes),
    )


def _layers(paths: Sequence[tuple[str, ...]]) -> dict[str, int] | None:
    """A column for every link, behind the links that come before it on a path.

    None if there is no such order, because links follow one another in a circle.
    """
    before: dict[str, set[str]] = {link: set() for path in paths for link in path}
    for path in paths:
        for link, next_link in pairwise(path):
            before[next_link].add(link)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError:
        return None
    column: dict[str, int] = {}
    for link in order:
        column[link] = max((column[b] + 1 for b in before[link]), default=0)
    return column


def _columns(
    links: tuple[str, ...], column_of: dict[str, int] | None
) -> tuple[int, ...]:
    if column_of is None:
        return tuple(range(len(links)))
    return tuple(column_of[link] for link in links)


def _ordered(
    groups: list[list[Lane]], column_of: dict[str, int] | None
) -> list[list[Lane]]:
    """Users, and paths of users, moved while that saves boxes.

    The search begins with the order of the file, and with users of the same links next
    to one another. Of equally good orders, the first one counts.
    """

    def boxes(order: list[list[Lane]]) -> int:
        count = 0
        above: dict[int, str] = {}
        for lane in (lane for group in order for lane in group):
            columns = _columns(lane.links, column_of)
            here = dict(zip(columns, lane.links, strict=True))
            count += sum(above.get(c) != link for c, link in here.items())
            above = here
        return count

    def improved(order: list[list[Lane]]) -> list[list[Lane]]:
        least = boxes(order)
        while True:
            better = next((o for o in _exchanged(order) if boxes(o) < least), None)
            if better is None:
                return order
            order, least = better, boxes(better)

    uses = Counter(link for group in groups for lane in group for link in lane.links)

    def shared(group: list[Lane]) -> list[str]:
        return sorted({n for lane in group for n in lane.links if uses[n] > 1})

    by_links = sorted(groups, key=shared)
    return min((improved(groups), improved(by_links)), key=boxes)


def _exchanged(groups: list[list[Lane]]) -> Iterator[list[list[Lane]]]:
    """The same groups with two paths of a user exchanged, or a user moved, also with
    its paths the other way round."""
    for number, group in enumerate(groups):
        for place in range(len(group) - 1):
            swapped = list(group)
            swapped[place : place + 2] = swapped[place : place + 2][::-1]
            yield [*groups[:number], swapped, *groups[number + 1 :]]
    for number, group in enumerate(groups):
        others = groups[:number] + groups[number + 1 :]
        for place in range(len(groups)):
            yield [*others[:place], group, *others[place:]]
            if len(group) > 1:
                yield [*others[:place], group[::-1], *others[place:]]


def _runs(names: Sequence[str | None], column: int) -> list[Box]:
    """A box for every name over all its neighbouring lanes."""
    boxes: list[Box] = []
    for lane, name in enumerate(names):
        if name is None:
            continue
        if boxes and boxes[-1].name == name and boxes[-1].last == lane - 1:
            boxes[-1] = Box(name, column, boxes[-1].first, lane)
        else:
            boxes.append(Box(name, column, lane, lane))
    return boxes


def _marked(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """The boxes, with those marked whose name an earlier box has."""
    seen: set[str] = set()
    marked = []
    for box in boxes:
        again = box.name in seen
        marked.append(Box(box.name, box.column, box.first, box.last, again))
        seen.add(box.name)
    return tuple(marked)
