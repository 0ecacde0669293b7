"""As many events as a picture can show, chosen while they come."""

from dataclasses import dataclass, field

import numpy as np

TOTAL = 2_000_000
"""Events kept of all lines together (144 MB)."""
LINES = 20_000
_KEY = ("connection", "subflow", "direction", "kind")


@dataclass
class _Line:
    """Every `stride`-th event of those that came so far, `seen` of them."""

    seen: int = 0
    stride: int = 1
    size: int = 0
    parts: list[np.ndarray] = field(default_factory=list)

    def add(self, rows: np.ndarray, most: int) -> None:
        first = -self.seen % self.stride
        self.seen += len(rows)
        some = rows[first :: self.stride].copy()
        if len(some):
            self.parts.append(some)
            self.size += len(some)
        while self.size >= 2 * most:
            self.parts = [np.concatenate(self.parts)[::2].copy()]
            self.size = len(self.parts[0])
            self.stride *= 2


class Thinned:
    """Events by line: those of one kind, direction and subflow.

    most : of a line stay at least so many, and less than twice as many, evenly
        chosen; all of a line that has no more
    total, lines : bounds on all lines together. Beyond these the connections with the
        least data so far are forgotten, as if they began later; `forgotten` counts.
    """

    def __init__(self, most: int, total: int = TOTAL, lines: int = LINES) -> None:
        self.most, self.total, self.lines = most, total, lines
        self.forgotten = 0
        self._lines: dict[tuple[int, ...], _Line] = {}
        self._sizes: dict[int, int] = {}

    def add(self, rows: np.ndarray) -> None:
        """rows : events in the order in which they came, shape (n,)"""
        if not len(rows):
            return
        order = np.lexsort([rows[name] for name in reversed(_KEY)])
        rows = rows[order]
        new = np.any([rows[name][1:] != rows[name][:-1] for name in _KEY], axis=0)
        for part in np.split(rows, np.flatnonzero(new) + 1):
            key = tuple(int(part[name][0]) for name in _KEY)
            self._lines.setdefault(key, _Line()).add(part, self.most)
            size = self._sizes.get(key[0], 0)
            self._sizes[key[0]] = size + int(part["length"].sum())
        if len(self._lines) > self.lines or self._count() > self.total:
            self._forget()

    def _count(self) -> int:
        return sum(line.size for line in self._lines.values())

    def _forget(self) -> None:
        """Down to half of either bound; the largest connection always stays."""
        by_size = sorted(self._sizes, key=self._sizes.__getitem__)
        keys: dict[int, list[tuple[int, ...]]] = {}
        for key in self._lines:
            keys.setdefault(key[0], []).append(key)
        count = self._count()
        for connection in by_size[:-1]:
            if 2 * len(self._lines) <= self.lines and 2 * count <= self.total:
                return
            for key in keys[connection]:
                count -= self._lines.pop(key).size
            del self._sizes[connection]
            self.forgotten += 1

    @property
    def stride(self) -> int:
        """One event of so many stayed where there are most."""
        return max((line.stride for line in self._lines.values()), default=1)

    def rows(self, kind: np.dtype) -> np.ndarray:
        """The rows that stayed, of type `kind`, sorted by time."""
        parts = [part for line in self._lines.values() for part in line.parts]
        kept = np.concatenate(parts) if parts else np.empty(0, kind)
        return kept[np.argsort(kept["time_ns"], kind="stable")]
