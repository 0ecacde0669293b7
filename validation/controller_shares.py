"""Windows on two paths with fixed random loss, compared with their equations.

    python -m validation.controller_shares [--seconds 200] [--seeds 5]
        [--only NAME] [--network NAME] [--json]

No queue ever fills: the bottlenecks could carry ten times the traffic. Each guest is
compared with the balance of growth and decrease (tests/virtual/balance.py), computed at
the loss that netem drew in that guest, which removes most of the chance. It is also
compared with the same equations driven packet by packet (aimd_model.py), at the nominal
loss. Each value below is divided by the value that the balance gives:

share   path 1's share of the sum of mean windows
rms     sum of the root mean squares of the windows
mean    sum of the means of the windows
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.virtual.balance import BALANCES
from tests.virtual.lab import BOUNDS, Lab, lab_with, make_job, script
from validation import aimd_model

SHARES = script("import sys; from tests.virtual.shares import main; sys.exit(main())")
SKIP_S = 20
MODEL_TIMES = 4
"""The model runs this many times as long as a guest."""


@dataclass(frozen=True)
class Network:
    """Two paths: probability of loss, and round-trip time without queues."""

    name: str
    loss: tuple[float, float]
    rtt_ms: tuple[float, float]

    @property
    def rtt_s(self) -> list[float]:
        return [rtt / 1000 for rtt in self.rtt_ms]


NETWORKS = (
    Network("alike", (0.0005, 0.0005), (40, 40)),
    Network("half the loss", (0.0005, 0.001), (40, 40)),
    Network("a quarter", (0.0005, 0.002), (40, 40)),
    Network("half the time", (0.0005, 0.0005), (20, 40)),
    Network("much loss", (0.01, 0.02), (40, 40)),
)
NAMES = ("lia", "lia_rfc6356", "balia", "ewtcp", "semicoupled", "coupled", "olia")


@dataclass(frozen=True)
class Sample:
    """Windows of a guest or of the model: mean, rms (segments) and loss by path."""

    mean: list[float]
    rms: list[float]
    loss: list[float]

    def beside(self, controller: str, network: Network) -> "Beside | None":
        balance = BALANCES.get(controller)
        if balance is None:
            return None
        paths = range(len(self.mean))
        wanted = balance(self.loss, [network.rtt_s[path] for path in paths])
        return Beside(
            self.mean[0] / sum(self.mean) / (wanted[0] / sum(wanted)),
            sum(self.rms) / sum(wanted),
            sum(self.mean) / sum(wanted),
        )


@dataclass(frozen=True)
class Beside:
    """Values divided by the value that the balance gives, as described above."""

    share: float
    rms: float
    mean: float


@dataclass(frozen=True)
class Row:
    """guests : one per seed; offs : of each guest, None if there is no balance"""

    network: str
    controller: str
    guests: list[Sample]
    offs: list[Beside] | None
    model: Sample
    model_off: Beside | None


def measure(
    lab: Lab, folder: Path, network: Network, seed: int, **shares: Any
) -> Sample:
    parameters = {}
    for path in (1, 2):
        parameters[f"path{path}.capacity"] = "200 Mbit/s"
        parameters[f"path{path}.delay"] = f"{network.rtt_ms[path - 1] / 2} ms"
        parameters[f"path{path}.loss"] = f"{100 * network.loss[path - 1]} %"
    job = make_job(folder, parameters=parameters, seed=seed)
    job["shares"] = {"skip_s": SKIP_S, **shares}
    bounds = type(BOUNDS)(virtual_s=4000.0, wall_s=1800.0, silence_s=300.0)
    ended, artefacts = lab.execute(job, bounds)
    if ended.status != "finished":
        raise SystemExit(f"{network.name}, {shares}: {ended.status}: {ended.reason}")
    found = json.loads((artefacts / "shares.json").read_text())
    loss = [n / of for n, of in zip(found["lost"], found["packets"], strict=True) if of]
    if "single" in shares:
        return Sample(found["cwnd"][:1], found["rms"][:1], loss[:1])
    return Sample(found["cwnd"], found["rms"], loss)


def modelled(controller: str, network: Network, seconds: float) -> Sample:
    paths = 1 if controller == "reno" else 2
    found = aimd_model.windows(
        controller, network.loss[:paths], network.rtt_s[:paths], seconds, 1
    )
    return Sample(
        [each.mean for each in found],
        [each.rms for each in found],
        [each.loss for each in found],
    )


def row(
    lab: Lab,
    folder: Path,
    network: Network,
    controller: str,
    seconds: float,
    seeds: Sequence[int],
) -> Row:
    """A line of the table; `reno` is the controller lia with one subflow, on path 1."""
    how = {"controller": controller}
    if controller == "reno":
        how = {"controller": "lia", "single": 1}  # type: ignore[dict-item]
    guests = [
        measure(lab, folder, network, seed, seconds=seconds, **how) for seed in seeds
    ]
    offs = [guest.beside(controller, network) for guest in guests]
    model = modelled(controller, network, MODEL_TIMES * seconds)
    return Row(
        network.name,
        controller,
        guests,
        [guest for guest in offs if guest] or None,
        model,
        model.beside(controller, network),
    )


def line(found: Row) -> str:
    def pair(samples: Sequence[Sample]) -> str:
        by_path = zip(*(off.mean for off in samples), strict=True)
        return " ".join(f"{statistics.mean(off):5.1f}" for off in by_path)

    text = f"{found.network:13} {found.controller:11} guest {pair(found.guests):11}"
    text += f" model {pair([found.model]):11}"
    if found.offs is None or found.model_off is None:
        return text
    for name in ("share", "rms", "mean"):
        values = [getattr(off, name) for off in found.offs]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        text += f"  {name} {statistics.mean(values):.3f} ±{spread:.3f}"
        text += f" ({getattr(found.model_off, name):.3f})"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", action="append", help="this controller; repeatable")
    parser.add_argument("--network", action="append", help="this one; repeatable")
    parser.add_argument("--json", action="store_true", help="rows as JSON at the end")
    options = parser.parse_args()
    networks = [
        result
        for result in NETWORKS
        if result.name in (options.network or [result.name])
    ]
    names = options.only or ["reno", *NAMES]
    done = []
    print("(in parentheses: the model's)  ±: standard deviation over seeds")
    with tempfile.TemporaryDirectory() as name:
        lab = lab_with(Path(name) / "runs", SHARES)
        for network in networks:
            for controller in names:
                seeds = range(1, options.seeds + 1)
                one = row(lab, Path(name), network, controller, options.seconds, seeds)
                done.append(one)
                print(line(one), flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in done]))


if __name__ == "__main__":
    main()
