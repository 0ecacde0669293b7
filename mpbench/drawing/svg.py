"""The drawing of a network as SVG, without scripts or anything from outside."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from analysis.words import many
from mpbench.drawing.lanes import Box, Layout, arrange
from mpbench.drawing.picture import Picture, Shown

SIZE = 12
"""Height of letters, in pixels."""
SMALL = 10.5
WIDE = 0.6
"""Width of a letter over its height, on average."""

LINE = 13
"""Height of a line in a box."""
NAME = 22
"""Height of a box with a name alone."""
SPACE = 5
"""Above and below a box."""

MARGIN = 16
GAP = 40
"""Between columns, where only lines of paths are."""
BACKUP = "backup"
"""Stands beside the number of a path that is used when no other works."""
PADDING = 10
LONGEST = 34
"""Letters of a text in a box; a longer one loses its end."""

ROWS = ((16, 60), (40, 46))
"""Up to so many lanes, the height of a lane."""
LEAST_ROW = 34

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#7a6200",
    "#5b3a9b",
    "#56b4e9",
    "#e69f00",
)
"""Of users, in turn: colours that remain apart for all kinds of colour vision."""
DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Of the paths of a user, in turn."""
TINTS = ("#fdf1d6", "#e3f1e6", "#e9e4f5", "#fbe3e0", "#dcebf7", "#efe9dd")
"""Of links that stand in several places."""
INK, GREY, VARIES = "#1c2733", "#5d6b7a", "#a3171d"


def svg(picture: Picture) -> str:
    """The drawing as one SVG element."""
    return _Drawing(picture).whole()


class _Drawing:
    """The places of everything, in pixels."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.layout: Layout = arrange(picture)
        count = len(self.layout.lanes)
        self.row = next((h for most, h in ROWS if count <= most), LEAST_ROW)
        if count <= ROWS[0][0]:
            self.row = max(self.row, *(self._needed(b) for b in self.layout.links))
        self.top = MARGIN + 24
        self.widths = [
            max(
                (self._width_of(box) for box in self.layout.links if box.column == c),
                default=0.0,
            )
            for c in range(self.layout.width)
        ]
        self.user_width = self._host_width(user.host for user in picture.users)
        for user in picture.users:
            if user.users is not None:
                self.user_width = max(self.user_width, _width(user.users.text, SMALL))
        self.server_width = self._host_width(user.server for user in picture.users)
        self.lefts: list[float] = []
        left = MARGIN + self.user_width + GAP
        if any(user.backups for user in picture.users):
            left += _width(BACKUP, SMALL)
        for width in self.widths:
            self.lefts.append(left)
            left += width + GAP
        self.right = left
        self.width = self.right + self.server_width + MARGIN
        self.bottom = self.top + count * self.row
        places = [box.name for box in self.layout.links if box.again]
        several = [name for name in picture.links if name in places]
        self.tints = {n: TINTS[i % len(TINTS)] for i, n in enumerate(several)}

    def whole(self) -> str:
        notes = list(self._notes())
        height = self.bottom + 10 + 16 * len(notes) + MARGIN
        width = max(
            self.width, *(2 * MARGIN + _width(note, SMALL) for note, _ in notes)
        )
        hosts = ", ".join(user.host for user in self.picture.users)
        label = f"Network {self.picture.title}: paths of {hosts}"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}"'
            f' height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
            f' role="img" aria-label="{escape(label)}"'
            f' font-family="Helvetica, Arial, sans-serif" font-size="{SIZE}">',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
            _text(MARGIN, MARGIN + 8, self.picture.title, SIZE + 2, INK, bold=True),
            *(
                line
                for number in range(len(self.layout.lanes))
                for line in self._lane(number)
            ),
            *(line for box in self.layout.links for line in self._link(box)),
            *(line for box in self.layout.users for line in self._user(box)),
            *(line for box in self.layout.servers for line in self._server(box)),
        ]
        y = self.bottom + 18
        for note, colour in notes:
            parts.append(_text(MARGIN, y, note, SMALL, colour))
            y += 16
        return "\n".join([*parts, "</svg>"]) + "\n"

    def _notes(self) -> Iterator[tuple[str, str]]:
        yield "Each line is a path. A box is a link; a tall box is shared.", GREY
        if self.layout.hidden:
            yield f"Not drawn: {many(self.layout.hidden, 'more path')}.", INK
        links = self.picture.links.values()
        if any(link.only_delays for link in links):
            yield "A round box only delays packets.", GREY
        for box in self.layout.links:
            link = self.picture.links[box.name]
            if not box.again and self._fitting(box) < len(_lines(link.parameters)):
                words = ", ".join(shown.text for shown in link.parameters)
                yield f"{link.name}: {words}", GREY
        if self.tints:
            yield "A dashed box is a link that is drawn above already.", GREY
        shown = [s for link in links for s in link.parameters]
        shown += [user.users for user in self.picture.users if user.users]
        if any(user.backups for user in self.picture.users):
            yield "MPTCP uses a backup only when no other path works.", GREY
        if any(s.varies for s in shown):
            yield "Red values vary in the design.", VARIES
        for link in links:
            for s in link.parameters:
                if s.formula and s.formula not in s.text:
                    yield f"{link.name}: {s.text} = {s.formula}", GREY

    def _y(self, lane: float) -> float:
        """The middle of a lane."""
        return self.top + (lane + 0.5) * self.row

    def _span(self, box: Box) -> tuple[float, float]:
        """Top and height of a box."""
        space = SPACE if self.row > LEAST_ROW else 3
        top = self.top + box.first * self.row + space
        return top, (box.last - box.first + 1) * self.row - 2 * space

    def _lane(self, number: int) -> Iterator[str]:
        """The line of a path, behind the boxes of its links."""
        lane, y = self.layout.lanes[number], self._y(number)
        colour = COLOURS[lane.user % len(COLOURS)]
        dashes = DASHES[(lane.path - 1) % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        left = MARGIN + self.user_width
        yield (
            f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{self.right:.1f}" y2="{y:.1f}"'
            f' stroke="{colour}" stroke-width="2.4"{dashed}/>'
        )
        user = self.picture.users[lane.user]
        if len(user.paths) > 1:
            backup = lane.path in user.backups
            text = f"{lane.path} {BACKUP}" if backup else f"{lane.path}"
            yield _text(left + 5, y - 5, text, SMALL, colour, bold=True)

    def _link(self, box: Box) -> Iterator[str]:
        link = self.picture.links[box.name]
        top, height = self._span(box)
        left, width = self.lefts[box.column], self.widths[box.column]
        fill = self.tints.get(box.name, "#eef2f6")
        rounded = min(18.0, height / 2) if link.only_delays else 3
        dashed = ' stroke-dasharray="5 3"' if box.again else ""
        if link.only_delays and not box.again:
            fill = self.tints.get(box.name, "#ffffff")
        yield (
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}"'
            f' height="{height:.1f}" rx="{rounded:.0f}" fill="{fill}"'
            f' stroke="#46586a" stroke-width="1.3"{dashed}/>'
        )
        lines: list[Sequence[Shown]] = []
        if not box.again:
            lines = _lines(link.parameters)[: self._fitting(box)]
        yield from self._words(left + width / 2, top + height / 2, box.name, lines)

    def _fitting(self, box: Box) -> int:
        """Lines below the name that fit into a box."""
        _, height = self._span(box)
        return max(0, int((height - NAME) / LINE))

    def _needed(self, box: Box) -> int:
        """The height of a lane in which all lines fit into a box."""
        if box.again:
            return 0
        lines = len(_lines(self.picture.links[box.name].parameters))
        height = NAME + LINE * lines + 2 * SPACE
        return math.ceil(height / (box.last - box.first + 1))

    def _words(
        self, x: float, y: float, name: str, lines: Sequence[Sequence[Shown]]
    ) -> Iterator[str]:
        """A name and lines below it, in the middle of a box."""
        y += 4 - 6.5 * len(lines)
        yield _text(x, y, name, SIZE, INK, bold=True, middle=True)
        for line in lines:
            y += LINE
            words = ", ".join(_cut(shown.text) for shown in line)
            colour = VARIES if line[0].varies else GREY
            yield _text(x, y, words, SMALL, colour, middle=True)

    def _user(self, box: Box) -> Iterator[str]:
        user = self.picture.users[self.layout.lanes[box.first].user]
        top, height = self._span(box)
        colour = COLOURS[self.layout.lanes[box.first].user % len(COLOURS)]
        yield _host(MARGIN, top, self.user_width, height, colour)
        lines = [[user.users]] if user.users and self.row > LEAST_ROW else []
        x, y = MARGIN + self.user_width / 2, top + height / 2
        yield from self._words(x, y, user.host, lines)

    def _server(self, box: Box) -> Iterator[str]:
        top, height = self._span(box)
        colour = COLOURS[self.layout.lanes[box.first].user % len(COLOURS)]
        yield _host(self.right, top, self.server_width, height, colour)
        x, y = self.right + self.server_width / 2, top + height / 2
        yield from self._words(x, y, box.name, [])

    def _host_width(self, names: Iterator[str]) -> float:
        return max(_width(name, SIZE, bold=True) for name in names)

    def _width_of(self, box: Box) -> float:
        """Width that the box of a link needs."""
        width = _width(box.name, SIZE, bold=True)
        if box.again:
            return width
        for line in _lines(self.picture.links[box.name].parameters):
            width = max(width, _width(", ".join(_cut(s.text) for s in line), SMALL))
        return width


def _lines(parameters: Sequence[Shown]) -> list[Sequence[Shown]]:
    """The parameters of a link in lines.

    A line has either parameters that vary or parameters that do not.
    """
    lines: list[list[Shown]] = []
    for shown in parameters:
        length = len(", ".join(s.text for s in (*lines[-1], shown))) if lines else 0
        alike = bool(lines) and lines[-1][0].varies == shown.varies
        if alike and length <= LONGEST - 8:
            lines[-1].append(shown)
        else:
            lines.append([shown])
    return [tuple(line) for line in lines]


def _host(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        f' rx="3" fill="#ffffff" stroke="{colour}" stroke-width="2"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    bold: bool = False,
    middle: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="middle"' if middle else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"'
        f"{weight}{anchor}>{escape(text)}</text>"
    )


def _width(text: str, size: float, bold: bool = False) -> float:
    """The width of a box for a text, in pixels."""
    return len(text) * size * WIDE * (1.05 if bold else 1) + 2 * PADDING


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
