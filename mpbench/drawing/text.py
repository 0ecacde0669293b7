"""The drawing of a network as text for a terminal."""

from collections.abc import Iterator

from analysis.words import many
from mpbench.drawing.lanes import Layout, arrange
from mpbench.drawing.picture import Link, Picture, Shown


def text(picture: Picture) -> str:
    """The paths as lanes, one per line, and the links with their parameters."""
    return "\n".join([*_paths(picture), "", *_links(picture)]) + "\n"


def _paths(picture: Picture) -> Iterator[str]:
    layout = arrange(picture)
    widths = [0] * layout.width
    for lane, columns in zip(layout.lanes, layout.columns, strict=True):
        for column, link in zip(columns, lane.links, strict=True):
            widths[column] = max(widths[column], len(link))
    users = [_user(picture, lane.user) for lane in layout.lanes]
    most = max(map(len, users))
    paths = max(len(str(lane.path)) for lane in layout.lanes)
    yield "paths, from users to servers: [link] (link that only delays)"
    before = -1
    for number, lane in enumerate(layout.lanes):
        name = users[number] if lane.user != before else ""
        before = lane.user
        way = _lane(picture, layout, number, widths)
        user = picture.users[lane.user]
        ending = f"{user.server} (backup)" if lane.path in user.backups else user.server
        yield f"  {name:<{most}}  {lane.path:>{paths}} --{way}-- {ending}"
    if layout.hidden:
        yield f"  and {many(layout.hidden, 'more path')}"


def _user(picture: Picture, number: int) -> str:
    user = picture.users[number]
    return user.host if user.users is None else f"{user.host} ({user.users.text})"


def _lane(picture: Picture, layout: Layout, number: int, widths: list[int]) -> str:
    """The links of a lane, each in its column."""
    at = dict(zip(layout.columns[number], layout.lanes[number].links, strict=True))
    parts = []
    for column, width in enumerate(widths):
        link = at.get(column)
        if link is None:
            parts.append("-" * (width + 4))
            continue
        left, right = "()" if picture.links[link].only_delays else "[]"
        parts.append(f"{left} {link:<{width}} {right}")
    return "--".join(parts)


def _links(picture: Picture) -> Iterator[str]:
    most = max(map(len, picture.links))
    yield "links (* varies in the design)"
    for link in picture.links.values():
        yield f"  {link.name:<{most}}  {_parameters(link)}; {_taken(picture, link)}"


def _parameters(link: Link) -> str:
    words = ", ".join(_shown(shown) for shown in link.parameters) or "no delay"
    return f"only delays: {words}" if link.only_delays else words


def _shown(shown: Shown) -> str:
    text = f"{shown.text}*" if shown.varies else shown.text
    if shown.formula and shown.formula not in shown.text:
        text += f" (= {shown.formula})"
    return text


def _taken(picture: Picture, link: Link) -> str:
    """The users whose paths take a link."""
    hosts = [
        user.host
        for user in picture.users
        if any(link.name in path for path in user.paths)
    ]
    shown = ", ".join(hosts[:3])
    return (
        shown if len(hosts) <= 3 else f"{shown} and {many(len(hosts) - 3, 'more user')}"
    )
