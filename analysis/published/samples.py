"""The values that a criterion is judged from, as arrays, and their networks.

Redrawing a design takes all values of a network together. Where the runs have one
network only, or a few that were given and not drawn, the repetitions are redrawn
instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.published.networks import network_columns

Columns = Mapping[str, np.ndarray]

LEAST_NETWORKS = 6
"""Fewer networks than these are no design: somebody chose them."""


@dataclass(frozen=True)
class Sample:
    """Values of runs.

    columns : arrays of one length
    places : the positions of each network's values, by the network's number
    """

    columns: Columns
    places: Mapping[int, np.ndarray]

    def drawn(self, networks: np.ndarray) -> Columns:
        """The columns of these networks; a network may come several times."""
        empty = np.empty(0, dtype=int)
        index = np.concatenate(
            [self.places.get(network, empty) for network in networks.tolist()]
        )
        return {name: values[index] for name, values in self.columns.items()}

    def redrawn(self, generator: np.random.Generator) -> Columns:
        """The columns with the values of each network drawn with replacement."""
        return self.at(self.redrawn_index(generator))

    def redrawn_index(self, generator: np.random.Generator) -> np.ndarray:
        """The positions of the values of each network, drawn with replacement."""
        return np.concatenate(
            [generator.choice(own, size=len(own)) for own in self.places.values()]
        )

    def at(self, index: np.ndarray) -> Columns:
        """The columns at these positions."""
        return {name: values[index] for name, values in self.columns.items()}


def _count(sample: Sample) -> int:
    return sum(len(own) for own in sample.places.values())


@dataclass(frozen=True)
class Samples:
    """One or two samples.

    joint : whether their networks are drawn together
    paired : whether they are two columns of the same runs, in the same order
    """

    samples: tuple[Sample, ...]
    joint: bool
    paired: bool = False

    @property
    def columns(self) -> tuple[Columns, ...]:
        return tuple(sample.columns for sample in self.samples)

    @property
    def units(self) -> int:
        """Number of networks that are redrawn, or of repetitions where those are."""
        if self.given:
            return min(_count(sample) for sample in self.samples)
        return self._networks

    @cached_property
    def given(self) -> bool:
        """Whether the networks are few and have repetitions, which are redrawn."""
        return self._networks < LEAST_NETWORKS and self.clustered

    @property
    def _networks(self) -> int:
        return len({network for sample in self.samples for network in sample.places})

    @property
    def clustered(self) -> bool:
        """Whether a network has several values, so that they are not independent."""
        return any(
            len(places) > 1 for part in self.samples for places in part.places.values()
        )

    def redraw(self, generator: np.random.Generator) -> tuple[Columns, ...]:
        """The columns of a design whose networks are drawn with replacement.

        Given networks stay, and the values of each are drawn with replacement.
        """
        if self.given and self.paired:
            index = self.samples[0].redrawn_index(generator)
            return tuple(sample.at(index) for sample in self.samples)
        if self.given:
            return tuple(sample.redrawn(generator) for sample in self.samples)
        if self.joint:
            known = sorted({n for sample in self.samples for n in sample.places})
            networks = generator.choice(known, size=len(known))
            return tuple(sample.drawn(networks) for sample in self.samples)
        return tuple(
            sample.drawn(generator.choice(list(sample.places), size=len(sample.places)))
            for sample in self.samples
        )


def network_keys(frames: Sequence[pd.DataFrame]) -> tuple[list[np.ndarray], bool]:
    """The number of each row's network.

    A network has the same number in every campaign. The second value is false if the
    frames have one network only, so that the numbers are those of repetitions.
    """
    names = [
        name
        for name in network_columns(frames[0])
        if all(name in frame.columns for frame in frames)
    ]
    sizes = [len(frame) for frame in frames]
    whole = pd.concat([frame[names] for frame in frames], ignore_index=True)
    numbers = _numbered(whole) if names else np.zeros(sum(sizes), dtype=np.int64)
    several = len(np.unique(numbers)) > 1
    if not several:
        repetitions = pd.concat(
            [frame[["point", "repetition"]] for frame in frames], ignore_index=True
        )
        numbers = _numbered(repetitions)
    ends = np.cumsum(sizes)[:-1]
    return np.split(numbers, ends), several


def _numbered(frame: pd.DataFrame) -> np.ndarray:
    """A digest of each row's values."""
    values = frame.astype(float).round(6)
    return pd.util.hash_pandas_object(values, index=False).to_numpy().view(np.int64)


def sample(columns: Columns, networks: np.ndarray) -> Sample:
    """The sample with these columns; rows with a missing number are left out."""
    known = np.ones(len(networks), dtype=bool)
    for values in columns.values():
        if values.dtype.kind == "f":
            known &= ~np.isnan(values)
    kept = {name: values[known] for name, values in columns.items()}
    order = np.argsort(networks[known], kind="stable")
    numbers, starts = np.unique(networks[known][order], return_index=True)
    parts = np.split(order, starts[1:]) if len(numbers) else []
    places = dict(zip(numbers.tolist(), parts, strict=True))
    return Sample(kept, places)
