"""Lines and marks of theory: predictions of network models for a figure's runs."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import Theory
from analysis.figures.drawn_figure import UndrawableError
from analysis.models import fluid, max_min
from analysis.models.networks import Network
from analysis.models.setting import Setting
from analysis.run.payload import BYTES
from jobs import FRAME_BYTES

MBPS = 1e6
Point = tuple[int, str]
"""A design point's number and a case."""


@dataclass(frozen=True)
class Curve:
    """Prediction of one model.

    name : for the legend
    model : the model alone, in words
    case : the case that it belongs to; None if all cases have the same
    values : by design point and case
    """

    name: str
    model: str
    case: str | None
    values: Mapping[Point, float]

    def of(self, points: Container[Point]) -> "Curve":
        """The same model at these points alone."""
        known = {key: value for key, value in self.values.items() if key in points}
        return replace(self, values=known)


def curves(
    models: Sequence[Theory] | None,
    metric: str,
    part: str | None,
    campaign: Campaign,
    points: Sequence[Point],
) -> list[Curve]:
    """Predictions of a figure's models for the runs that it shows.

    part : the part of a run that is shown; None for the whole
    points : of these runs

    A model that says the same of all cases has one curve. A case whose controller a
    model does not know has none. Raises UndrawableError if a model says nothing.
    """
    if not models:
        return []
    if campaign.settings is None:
        raise UndrawableError("theory needs the experiment file, which cannot be read")
    found = []
    for theory in models:
        values, reason = {}, ""
        for point, case in dict.fromkeys(points):
            try:
                setting = campaign.settings(point, case, part)
                values[point, case] = predict(theory, setting, metric, part)
            except ValueError as error:
                reason = reason or f"{theory.words}: {case}: {error}"
        if not values:
            raise UndrawableError(reason)
        found += _split(theory, values)
    return found


def _split(theory: Theory, values: Mapping[Point, float]) -> list[Curve]:
    """One curve for all cases if they agree, or one per case."""
    cases = list(dict.fromkeys(case for _, case in values))
    by_point: dict[int, list[float]] = {}
    for (point, _), value in values.items():
        by_point.setdefault(point, []).append(value)
    if all(np.allclose(v, v[0], rtol=1e-6) for v in by_point.values()):
        return [Curve(theory.words, theory.words, None, values)]
    return [
        Curve(
            f"{case}: {theory.words}",
            theory.words,
            case,
            {key: value for key, value in values.items() if key[1] == case},
        )
        for case in cases
    ]


def predict(theory: Theory, setting: Setting, metric: str, part: str | None) -> float:
    """A metric of a run, or of a part of it, by a model.

    metric : one of request.THEORY_METRICS

    Raises ValueError for what the model does not know.
    """
    network = timed(setting.network, theory)
    paths_bps = path_rates(theory, replace(setting, network=network))
    totals = {name: sum(paths) for name, paths in paths_bps.items()}
    if metric == "max_min_distance":
        return max_min.distance(network, totals)
    user = next((n for n in totals if n in _names(part)), None)
    if metric == "traffic_split":
        only = user or (next(iter(totals)) if len(totals) == 1 else None)
        if only is None or theory.model != "fluid":
            raise ValueError(
                "only the fluid model says how one user splits its traffic"
            )
        return paths_bps[only][0] / totals[only]
    payload = {n: BYTES[p] / FRAME_BYTES for n, p in setting.protocols.items()}
    each = {name: rate * payload[name] / MBPS for name, rate in totals.items()}
    counts = {name: network.users[name].count for name in each}
    if metric == "jain":
        total = sum(counts[n] * each[n] for n in each)
        squares = sum(counts[n] * each[n] ** 2 for n in each)
        return total**2 / (sum(counts.values()) * squares)
    if metric != "goodput":
        raise ValueError(f"no model gives {metric}")
    shown = [user] if user else list(each)
    return sum(counts[name] * each[name] for name in shown)


def _names(part: str | None) -> tuple[str, ...]:
    """The names that a part may begin or end with: of a phase, of a user."""
    text = part or ""
    head, _, tail = text.partition(".")
    return (text, tail, head)


def timed(network: Network, theory: Theory) -> Network:
    """The network with the round-trip times that the theory assumes."""
    users = {}
    for name, user in network.users.items():
        known = user.rtts_s
        if theory.rtt is not None:
            known = (theory.rtt,) * len(user.paths)
        rtts_s = tuple(rtt_s + theory.queueing for rtt_s in known)
        users[name] = replace(user, rtts_s=rtts_s)
    return replace(network, users=users)


def path_rates(theory: Theory, setting: Setting) -> dict[str, tuple[float, ...]]:
    """Bit/s of one user on each path, or in all where the model leaves paths open."""
    network = setting.network
    if theory.model == "max_min":
        return {name: (rate,) for name, rate in max_min.rates(network).items()}
    if theory.model == "probing":
        probed = max_min.probing(network, FRAME_BYTES)
        return {name: (rate,) for name, rate in probed.items()}
    if setting.lossy:
        raise ValueError("the fluid model knows no random loss")
    asked = theory.controller
    users = {
        name: replace(user, transport=asked) if asked and len(user.paths) > 1 else user
        for name, user in network.users.items()
    }
    found = fluid.equilibrium(replace(network, users=users), segment_bytes=FRAME_BYTES)
    unit = FRAME_BYTES * 8
    return {n: tuple(rate * unit for rate in r) for n, r in found.rates.items()}
