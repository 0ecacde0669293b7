"""Windows on two paths of fixed random loss against the controllers' equations.

    python benchmarks/controller_shares.py [--seconds 600] [--repetitions 1]
        [--only NAME] [--json]

No queue ever fills: the bottlenecks have room for ten times what flows. Each guest is
set beside two predictions:

balance  what a window gains by acknowledgements, I_r per segment, it loses by losses,
         D_r each: I_r (1 - p_r) = D_r p_r, solved numerically. It knows averages alone,
         and has no single solution for coupled and olia.
model    the equations driven packet by packet (aimd_model.py), times what a Reno alone
         on either path has in the guest over what it has in the model.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aimd_model

from tests.virtual.lab import BOUNDS, Lab, lab_with, make_job, script

SHARES = script("import sys; from tests.virtual.shares import main; sys.exit(main())")
SKIP_S = 20
Law = Callable[[Sequence[float], Sequence[float], int], float]
"""Of windows, round-trip times and the subflow's number: I_r / D_r."""


@dataclass(frozen=True)
class Network:
    """loss : probability; rtt_ms : without queues"""

    name: str
    loss: tuple[float, float]
    rtt_ms: tuple[float, float]


NETWORKS = (
    Network("alike", (0.002, 0.002), (40, 40)),
    Network("half the loss", (0.001, 0.002), (40, 40)),
    Network("half the time", (0.002, 0.002), (20, 40)),
)


def _rates(w: Sequence[float], rtt: Sequence[float]) -> list[float]:
    return [each / time for each, time in zip(w, rtt, strict=True)]


def lia(w: Sequence[float], rtt: Sequence[float], r: int) -> float:
    x = _rates(w, rtt)
    best = max(each / time for each, time in zip(x, rtt, strict=True))
    return min(best / sum(x) ** 2, 1 / w[r]) / (w[r] / 2)


def balia(w: Sequence[float], rtt: Sequence[float], r: int) -> float:
    x = _rates(w, rtt)
    alpha = max(x) / x[r]
    growth = x[r] / rtt[r] / sum(x) ** 2 * (1 + alpha) / 2 * (4 + alpha) / 5
    return growth / (w[r] / 2 * min(alpha, 1.5))


def ewtcp(w: Sequence[float], rtt: Sequence[float], r: int) -> float:
    return 2**-0.5 / w[r] / (w[r] / 2)


def semicoupled(w: Sequence[float], rtt: Sequence[float], r: int) -> float:
    return 1 / sum(w) / (w[r] / 2)


LAWS: dict[str, Law] = {
    "lia": lia,
    "max": lia,
    "balia": balia,
    "ewtcp": ewtcp,
    "semicoupled": semicoupled,
}
"""Those whose balance is a single point."""


def balance(law: Law, network: Network) -> list[float]:
    """The windows at which growth and decrease balance, by damped iteration."""
    w = [10.0, 10.0]
    for _ in range(20_000):
        pull = [
            law(w, network.rtt_ms, r) * (1 - p) / p for r, p in enumerate(network.loss)
        ]
        w = [each * factor**0.02 for each, factor in zip(w, pull, strict=True)]
    return w


def measure(
    root: Lab, folder: Path, network: Network, seed: int, **shares: object
) -> list[float]:
    """Average windows by path, segments."""
    parameters = {}
    for path in (1, 2):
        parameters[f"path{path}.capacity"] = "200 Mbit/s"
        parameters[f"path{path}.delay"] = f"{network.rtt_ms[path - 1] / 2} ms"
        parameters[f"path{path}.loss"] = f"{100 * network.loss[path - 1]} %"
    job = make_job(folder, parameters=parameters, seed=seed)
    job["shares"] = {"skip_s": SKIP_S, **shares}
    bounds = type(BOUNDS)(virtual_s=4000.0, wall_s=1800.0, silence_s=300.0)
    ended, artefacts = root.execute(job, bounds)
    if ended.status != "finished":
        raise SystemExit(f"{network.name}, {shares}: {ended.status}: {ended.reason}")
    windows: list[float] = json.loads((artefacts / "shares.json").read_text())["cwnd"]
    return windows


@dataclass(frozen=True)
class Row:
    """Windows in segments, by path; balance is None where it has no single solution."""

    network: str
    controller: str
    got: list[float]
    model: list[float]
    balance: list[float] | None


def rows(names: Sequence[str], seconds: float, repetitions: int) -> list[Row]:
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lab = lab_with(folder / "runs", SHARES)
        for network in NETWORKS:
            rtt_s = [each / 1000 for each in network.rtt_ms]

            def average(network: Network = network, **shares: object) -> list[float]:
                runs = [
                    measure(lab, folder, network, seed, seconds=seconds, **shares)
                    for seed in range(1, repetitions + 1)
                ]
                return [statistics.mean(each) for each in zip(*runs, strict=True)]

            scale = []
            for path, (p, t) in enumerate(zip(network.loss, rtt_s, strict=True), 1):
                alone = average(controller="lia", single=path)[0]
                (model,) = aimd_model.windows("reno", [p], [t], seconds, 1)
                scale.append(alone / model)
                ideal = (2 * (1 - p) / p) ** 0.5
                print(f"{network.name}: Reno on path {path} has {alone:.2f} segments,")
                print(f"    model {model:.2f}, balance {ideal:.2f}")
            for controller in names:
                modelled = aimd_model.windows(
                    controller, network.loss, rtt_s, seconds * repetitions, 1
                )
                law = LAWS.get(controller)
                row = Row(
                    network.name,
                    controller,
                    average(controller=controller),
                    [w * each for w, each in zip(modelled, scale, strict=True)],
                    balance(law, network) if law else None,
                )
                found.append(row)
                print(line(row), flush=True)
    return found


def line(row: Row) -> str:
    def pair(windows: list[float] | None) -> str:
        if windows is None:
            return "     -      -"
        return " ".join(f"{each:6.2f}" for each in windows)

    off = 100 * (sum(row.got) / sum(row.model) - 1)
    return (
        f"{row.network:14} {row.controller:12} guest {pair(row.got)}  model "
        f"{pair(row.model)} (total {off:+.1f} %)  balance {pair(row.balance)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--only", action="append", help="this controller; repeatable")
    parser.add_argument("--json", action="store_true", help="rows as JSON at the end")
    options = parser.parse_args()
    names = options.only or [*LAWS, "coupled", "olia"]
    found = rows(names, options.seconds, options.repetitions)
    if options.json:
        print(json.dumps([asdict(row) for row in found]))


if __name__ == "__main__":
    main()
