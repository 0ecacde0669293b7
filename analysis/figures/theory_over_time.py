"""Levels beside the lines of single runs over time, as network models predict them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose

from analysis.campaign.figure_request import THEORY_QUANTITIES, Theory
from analysis.figures.theory import MBPS, path_rates, timed
from analysis.models.setting import Setting, Stretch
from analysis.run.payload import BYTES
from jobs import FRAME_BYTES

PACKET_BITS = FRAME_BYTES * 8
SAME = 1e-4
"""Values that differ by less are equal; the equilibria are found to this."""


@dataclass(frozen=True)
class Level:
    """A value of theory and the time, in s, in which it holds."""

    start_s: float
    end_s: float
    value: float

    @property
    def middle_s(self) -> float:
        return (self.start_s + self.end_s) / 2

    def goes_on(self, after: "Level") -> bool:
        """Whether another level continues this one."""
        same = isclose(self.value, after.value, rel_tol=SAME)
        return same and self.end_s == after.start_s


@dataclass(frozen=True)
class Expected:
    """Prediction of one model for one measured line.

    model : the model in words, for the legend
    host : the host that sends
    names : what the measured line may be called; the first that is there has it
    levels : in order of time; none where nobody sends
    """

    model: str
    host: str
    names: tuple[str, ...]
    levels: tuple[Level, ...]

    def owner(self, lines: Iterable[str]) -> str | None:
        """The measured line that it belongs to; None if it is not there.

        A line's name may go on with a number or `mean of 3` in brackets.
        """
        known = list(lines)
        for name in self.names:
            for line in known:
                if line == name or line.startswith(f"{name} ("):
                    return line
        return None


def expected(
    theory: Theory,
    stretches: Sequence[Stretch],
    quantity: str,
    solved: "Solved | None" = None,
    whole: bool = False,
) -> list[Expected]:
    """Prediction of a model for a quantity of a run, line by line.

    quantity : one of `analysis.run.quantities.QUANTITIES`
    solved : keeps the rates of settings that several quantities or runs share
    whole : whether goodput is that of all connections of an entry

    Goodput is that of one connection, or of all connections of the tool flows; other
    quantities are of a connection on one path, the mean over a host's connections.
    Empty for a quantity that the model does not give. Raises ValueError for a network
    that it does not know.
    """
    if theory.model not in THEORY_QUANTITIES.get(quantity, ()):
        return []
    rates = solved or Solved()
    if whole:
        stretches = [_together(stretch) for stretch in stretches]
    found: dict[tuple[str, tuple[str, ...]], list[Level]] = {}
    for stretch in stretches:
        values = _QUANTITIES[quantity](stretch.setting, *rates.of(theory, stretch))
        for key, value in values.items():
            levels = found.setdefault(key, [])
            new = Level(stretch.start_s, stretch.end_s, value)
            if levels and levels[-1].goes_on(new):
                levels[-1] = replace(levels[-1], end_s=new.end_s)
            else:
                levels.append(new)
    return [
        Expected(theory.words, host, names, tuple(levels))
        for (host, names), levels in found.items()
    ]


def _together(stretch: Stretch) -> Stretch:
    """The same stretch, with the goodput of each entry that of all its connections."""
    senders = {
        name: replace(sender, together=True)
        for name, sender in stretch.setting.senders.items()
    }
    return replace(stretch, setting=replace(stretch.setting, senders=senders))


PathValues = Mapping[str, Sequence[float]]
Values = dict[tuple[str, tuple[str, ...]], float]
"""By the host that sends, and what a measured line may be called."""


class Solved:
    """Rates and round-trip times that were computed before."""

    def __init__(self) -> None:
        self._known: list[tuple[Theory, Setting, PathValues, PathValues]] = []

    def of(self, theory: Theory, stretch: Stretch) -> tuple[PathValues, PathValues]:
        """The rates in bit/s and the round-trip times in s of each user's paths."""
        for asked, setting, rates, rtts in self._known:
            if (asked, setting) == (theory, stretch.setting):
                return rates, rtts
        network = timed(stretch.setting.network, theory)
        rates = path_rates(theory, replace(stretch.setting, network=network))
        rtts = {name: user.rtts_s for name, user in network.users.items()}
        self._known.append((theory, stretch.setting, rates, rtts))
        return rates, rtts


def _goodput(setting: Setting, rates_bps: PathValues, _: PathValues) -> Values:
    """Mbit/s of payload."""
    found: Values = {}
    for name, rates in rates_bps.items():
        sender = setting.senders[name]
        count = setting.network.users[name].count if sender.together else 1
        value = count * sum(rates) * _payload_share(setting, name) / MBPS
        found[sender.host, (sender.title,)] = value
    return found


def _throughput(setting: Setting, rates_bps: PathValues, _: PathValues) -> Values:
    """Mbit/s of payload that is acknowledged."""
    shares = {name: _payload_share(setting, name) / MBPS for name in rates_bps}
    return _by_path(
        setting,
        {name: [rate * shares[name] for rate in r] for name, r in rates_bps.items()},
    )


def _windows(setting: Setting, rates_bps: PathValues, rtts_s: PathValues) -> Values:
    """Packets in flight: the rate times the round-trip time."""
    return _by_path(
        setting,
        {
            name: [
                rate * rtt_s / PACKET_BITS
                for rate, rtt_s in zip(rates, rtts_s[name], strict=True)
            ]
            for name, rates in rates_bps.items()
        },
    )


_QUANTITIES: Mapping[str, Callable[[Setting, PathValues, PathValues], Values]] = {
    "goodput": _goodput,
    "throughput": _throughput,
    "cwnd": _windows,
}


def _payload_share(setting: Setting, user: str) -> float:
    return BYTES[setting.protocols[user]] / FRAME_BYTES


def _by_path(setting: Setting, values: PathValues) -> Values:
    """Means over the connections of each host on each path."""
    sums: dict[tuple[str, int], tuple[float, int]] = {}
    called: dict[tuple[str, int], str] = {}
    for name, of_paths in values.items():
        sender, count = setting.senders[name], setting.network.users[name].count
        words = sender.path_words or [f"path {number}" for number in sender.paths]
        called |= {
            (sender.host, number): word
            for number, word in zip(sender.paths, words, strict=True)
        }
        for number, value in zip(sender.paths, of_paths, strict=True):
            total, connections = sums.get((sender.host, number), (0.0, 0))
            sums[sender.host, number] = (total + count * value, connections + count)
    hosts = [host for host, _ in sums]
    found: Values = {}
    for (host, number), (total, connections) in sums.items():
        path = called[host, number]
        names: tuple[str, ...] = (f"{host}, {path}", path)
        if hosts.count(host) == 1:
            names = (host, *names)
        found[host, names] = total / connections
    return found
