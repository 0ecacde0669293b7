"""Rows that wait in a file until the capture has been read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

PIECE = 20_000
"""Rows that are in memory at once."""
MOST_PARTS = 256
SAMPLE = 100_000


class Spool:
    """Rows of one structured type, appended to a file.

    folder : where the files are; the caller removes it
    """

    def __init__(self, folder: Path, name: str, kind: np.dtype) -> None:
        self.path = folder / name
        self.kind = kind
        self.count = 0
        self._file = self.path.open("wb")

    def add(self, rows: np.ndarray) -> None:
        self._file.write(rows.tobytes())
        self.count += len(rows)

    def pieces(self) -> Iterator[np.ndarray]:
        """All rows in the order in which they came."""
        self._file.flush()
        with self.path.open("rb") as file:
            while raw := file.read(PIECE * self.kind.itemsize):
                yield np.frombuffer(raw, self.kind).copy()

    def sorted_pieces(self, key: str) -> Iterator[np.ndarray]:
        """All rows, in pieces of about PIECE rows.

        All rows of one `key` are in one piece, and the keys grow from piece to piece.
        """
        if self.count <= PIECE:
            yield from self.pieces()
            return
        step = max(1, self.count // SAMPLE)
        sample = np.concatenate([rows[key][::step] for rows in self.pieces()])
        parts = min(MOST_PARTS, -(-self.count // PIECE))
        edges = np.unique(np.quantile(sample, np.linspace(0, 1, parts + 1)[1:-1]))
        spools = [
            Spool(self.path.parent, f"{self.path.name}-{number}", self.kind)
            for number in range(len(edges) + 1)
        ]
        for rows in self.pieces():
            part = np.searchsorted(edges, rows[key], side="right")
            for number in np.unique(part):
                spools[number].add(rows[part == number])
        for spool in spools:
            if PIECE < spool.count < self.count:
                yield from spool.sorted_pieces(key)
            elif spool.count:
                yield np.concatenate(list(spool.pieces()))
            spool.close()

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)
