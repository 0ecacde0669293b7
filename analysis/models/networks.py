"""A network for the models: links with capacities, and users with paths.

    Network(
        links={"X": 27e6, "T": 36e6},
        users={
            "blue": User((("X",), ("T",)), count=15),
            "red": User((("T",), ("X", "T")), count=15),
        },
    )

These are plain values, so that any description of a network can be turned into them.
`parse_link` and `parse_user` read them from the text of a command line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEGMENT_BYTES = 1500
"""The size of a packet, bytes, where none is given: that of [olia] App. B.3."""
LINK_NAME = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class User:
    """A group of equal users.

    paths : one tuple of link names per path, at least one path; a link may be in
        several paths, but only once in each
    count : how many such users there are, at least 1
    rtts_s : round-trip time of each path, seconds, above 0; empty if the model at
        hand needs none
    transport : name of the congestion control, see `controllers.CONTROLLERS`; empty
        for the one that the caller names
    """

    paths: tuple[tuple[str, ...], ...]
    count: int = 1
    rtts_s: tuple[float, ...] = ()
    transport: str = ""


@dataclass(frozen=True)
class Network:
    """Links that users share.

    links : capacity of each link by name, bit/s, above 0; inf for a link that never
        limits anybody
    users : groups of users by name

    Raises ValueError, one line that names the link or user, for a capacity, count or
    round-trip time out of range, a path of nothing, a path that crosses a link twice,
    a link that is not there, and a link that no path uses.
    """

    links: Mapping[str, float]
    users: Mapping[str, User] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, capacity in self.links.items():
            if isnan(capacity) or not capacity > 0:
                raise ValueError(
                    f"link {name}: capacity {capacity:g}; give bit/s above 0"
                )
        if not self.users:
            raise ValueError("no user; give at least one, with its paths")
        for name, user in self.users.items():
            self._check_user(name, user)
        used = {link for user in self.users.values() for p in user.paths for link in p}
        for name in self.links:
            if name not in used:
                raise ValueError(f"link {name}: no path uses it; take it away")

    def _check_user(self, name: str, user: User) -> None:
        if user.count < 1 or user.count != int(user.count):
            raise ValueError(f"user {name}: {user.count:g} users; give 1 or more")
        if not user.paths:
            raise ValueError(f"user {name}: no path; give at least one")
        for path in user.paths:
            if not path:
                raise ValueError(f"user {name}: a path of no links; name its links")
            for link in path:
                if link not in self.links:
                    known = ", ".join(self.links) or "none"
                    raise ValueError(
                        f"user {name}: no link {link}; the links are {known}"
                    )
                if path.count(link) > 1:
                    raise ValueError(f"user {name}: a path crosses {link} twice")
        if user.rtts_s and len(user.rtts_s) != len(user.paths):
            raise ValueError(
                f"user {name}: {len(user.rtts_s)} round-trip times for"
                f" {len(user.paths)} paths; give one per path"
            )
        for rtt_s in user.rtts_s:
            if not (isfinite(rtt_s) and rtt_s > 0):
                raise ValueError(
                    f"user {name}: round-trip time {rtt_s:g} s; give seconds above 0"
                )

    def check_bounded(self) -> None:
        """Raises ValueError if a path crosses no link that limits it."""
        for route, (name, _) in enumerate(self.routes):
            if not self.crossing[:, route].any():
                raise ValueError(
                    f"user {name}: a path without a finite capacity; its rate has no"
                    " bound"
                )

    @property
    def limiting(self) -> tuple[str, ...]:
        """The links with a finite capacity, in the order given."""
        return tuple(name for name, c in self.links.items() if c < inf)

    @cached_property
    def routes(self) -> tuple[tuple[str, int], ...]:
        """Every path of every user: the user's name, and the path's index from 0."""
        return tuple(
            (name, index)
            for name, user in self.users.items()
            for index in range(len(user.paths))
        )

    @cached_property
    def crossing(self) -> "NDArray[np.float64]":
        """The routing matrix H, shape (links, routes): 1 where a route crosses a link.

        Only links with a finite capacity have a row.
        """
        import numpy as np

        return np.array(
            [
                [float(link in self.users[name].paths[i]) for name, i in self.routes]
                for link in self.limiting
            ]
        ).reshape(len(self.limiting), len(self.routes))

    @cached_property
    def counts(self) -> "NDArray[np.float64]":
        """Number of users of each route, shape (routes,)."""
        import numpy as np

        return np.array([float(self.users[name].count) for name, _ in self.routes])

    @cached_property
    def capacities_bps(self) -> "NDArray[np.float64]":
        """Capacity of each limiting link, bit/s, shape (links,)."""
        import numpy as np

        return np.array([self.links[name] for name in self.limiting], dtype=float)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Positions of each user's paths among the routes, by name."""
        slices, start = {}, 0
        for name, user in self.users.items():
            slices[name] = slice(start, start + len(user.paths))
            start += len(user.paths)
        return slices


def parse_link(text: str) -> tuple[str, float]:
    """The name and the capacity, bit/s, that `X=27` says (27 Mbit/s).

    Raises ValueError for other texts.
    """
    name, sign, number = (part.strip() for part in text.partition("="))
    try:
        capacity_mbps = float(number)
    except ValueError:
        capacity_mbps = -1.0
    if not sign or not LINK_NAME.fullmatch(name) or not capacity_mbps > 0:
        raise ValueError(
            f"'{text}' is no link; write its name and its capacity in Mbit/s, e.g. X=27"
        )
    return name, capacity_mbps * 1e6


def parse_user(text: str) -> tuple[str, User]:
    """The name and the group of users that `red*15=T, X T @ 150, 150` says.

    Paths stand between commas, and the links of a path between spaces. After `*` is the
    number of users (1 if it is left out), after `@` the round-trip time of each path
    in ms (or one for all), and after `:` the congestion control.

    Raises ValueError for other texts.
    """
    match = re.fullmatch(
        r"\s*(?P<name>[A-Za-z0-9_.-]+)\s*(\*\s*(?P<count>\d+)\s*)?"
        r"(:\s*(?P<transport>[a-z0-9_]+)\s*)?=(?P<paths>[^@=]+)(@(?P<rtts>[^@=]+))?",
        text,
    )
    if match is None:
        raise ValueError(
            f"'{text}' is no user; write a name and the links of each path,"
            " e.g. 'red*15=T, X T' or 'phone:lia=wifi, lte @ 20, 60'"
        )
    paths = tuple(tuple(path.split()) for path in match["paths"].split(","))
    rtts_s: tuple[float, ...] = ()
    if match["rtts"] is not None:
        try:
            rtts_s = tuple(float(part) * 1e-3 for part in match["rtts"].split(","))
        except ValueError:
            raise ValueError(
                f"'{match['rtts'].strip()}' are no round-trip times; write them in ms,"
                " e.g. 20, 60"
            ) from None
        if len(rtts_s) == 1:
            rtts_s *= len(paths)
    count = int(match["count"]) if match["count"] else 1
    return match["name"], User(paths, count, rtts_s, match["transport"] or "")
