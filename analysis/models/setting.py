"""The network of a run as the models take it."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.models.networks import Network


@dataclass(frozen=True)
class Setting:
    """A network with the users that send at one time.

    network : users are traffic entries; capacities count whole frames
    protocols : "mptcp" or "tcp" of each user
    lossy : whether links lose packets at random, which the fluid model leaves out
    """

    network: Network
    protocols: Mapping[str, str]
    lossy: bool = False
