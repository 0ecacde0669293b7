"""The network of a run as the models take it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from analysis.models.networks import Network


@dataclass(frozen=True)
class Sender:
    """The traffic entry behind a user of the network.

    title : what figures call it
    host : the host that sends its data
    paths : the number of each of the user's paths, from 1
    path_words : what figures call each of them; empty for `path 1`, `path 2`
    together : whether its goodput over time is that of all its connections, in place
        of their mean
    """

    title: str
    host: str
    paths: tuple[int, ...]
    together: bool = False
    path_words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setting:
    """A network with the users that send at one time.

    network : users are traffic entries; capacities count whole frames
    protocols : "mptcp" or "tcp" of each user
    lossy : whether links lose packets at random, which the fluid model leaves out
    senders : the traffic entry of each user
    """

    network: Network
    protocols: Mapping[str, str]
    lossy: bool = False
    senders: Mapping[str, Sender] = field(default_factory=dict)


@dataclass(frozen=True)
class Stretch:
    """A stretch of time in which the same entries send.

    start_s, end_s : seconds after the beginning of the traffic
    """

    start_s: float
    end_s: float
    setting: Setting


class Settings(Protocol):
    """The settings of an experiment's runs.

    Both functions raise ValueError, one line, for what the models do not know.
    """

    def __call__(self, point: int, case: str, part: str | None) -> Setting:
        """The setting in one of a run's phases, or over the whole run."""

    def over_time(self, point: int, case: str) -> Sequence[Stretch]:
        """The stretches of a run in which somebody sends, in order of time."""
