"""Which published values depend on Linux, and which on the network alone.

    python -m studies.bare_packets [SCENARIO]... [--seeds 5]

The simulator bare_packets.c, which has nothing of a kernel, runs the networks of some
pages of results/reference. If its result equals the guest's, then the kernel is not
why the page differs from the paper. If a change of one thing gives the paper's value,
then that thing is a possible cause. Printed are means over the seeds with their 95 %
confidence interval (Student's t).
"""

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

SOURCE = Path(__file__).with_suffix(".c")
FRAME_BYTES = 1514
PAYLOAD_BYTES = {"M": 1428, "T": 1448}
"""Payload of a full segment of MPTCP and of TCP."""
LEAST = {"balia": 1, "coupled-balia": 1, "coupled": 1}
"""Minimum of ssthresh, packets; 2 for the controllers that are not named."""
USERS = 30


@dataclass(frozen=True)
class Ways:
    """Behaviour of the windows of a scenario; bare_packets.c explains the switches."""

    delayed: bool = True
    acks: bool = False
    equal: bool = False
    parts: bool = False

    def __str__(self) -> str:
        return " ".join(
            str(int(way)) for way in (self.delayed, self.acks, self.equal, self.parts)
        )


LINUX = Ways()
LINUX_3_11 = Ways(acks=True, equal=True)
SIMULATOR = Ways(delayed=False, parts=True)


def link(capacity_mbps: float, delay_ms: float, queue: int, jitter: float = 1) -> str:
    """A link; `jitter` counts transmission times of a packet."""
    jitter_ms = jitter * FRAME_BYTES * 8 / capacity_mbps / 1e3
    return f"link {capacity_mbps} {delay_ms} {jitter_ms} {queue}"


def flow(
    name: str, law: str, links: Sequence[int], ways: Ways, start_s: float = 0
) -> str:
    least = LEAST.get(law, 2)
    where = " ".join(map(str, links))
    return f"flow {name} {law} {start_s} 1e9 {ways} {least} {len(links)} {where}"


def rtt_mismatch(ways: Ways, jitter: float = 1) -> list[str]:
    """nsdi11 Fig. 14, with queues of a bandwidth-delay product."""
    return [
        link(3.028, 250, 125, jitter),
        link(6.056, 25, 25, jitter),
        flow("S1", "reno", [0], ways),
        flow("S2", "reno", [1], ways),
        flow("M", "lia", [0, 1], ways),
        "phase 50 650",
    ]


def bursty(law: str, ways: Ways, delay_ms: float, queue: int = 50) -> list[str]:
    """nsdi11 Fig. 9."""
    return [
        *[link(100, delay_ms, queue, 0)] * 2,
        "cbr 100 0.01 0.1 0",
        flow("M", law, [0, 1], ways),
        "phase 0 30",
    ]


def four_links(law: str, ways: Ways, many: int, queue: int = 83) -> list[str]:
    """nsdi11 Fig. 3, with `many` connections per user on links `many` times faster."""
    return [
        *(link(many * capacity, 10, queue) for capacity in (5, 12, 10, 3)),
        *(
            flow(user, law, [k, k + 1], ways, 0.1 * k)
            for k, user in enumerate("ABC")
            for _ in range(many)
        ),
        "phase 20 220",
    ]


def friendliness(law: str, ways: Ways, queue: int, capacity_mbps: float) -> list[str]:
    """balia Table III."""
    users = [flow("M", law, [0, 1], ways), flow("T", "reno", [1], ways, 0.3)]
    return [*[link(capacity_mbps, 5, queue)] * 2, *users * USERS, "phase 0 20"]


def responsiveness(law: str, ways: Ways, queue: int, jitter: float = 1) -> list[str]:
    """balia Table V: the throughput of the five TCP users from 40 to 80 s."""
    users = [flow("M", law, [0, 1], ways), *[flow("T", "reno", [1], ways, 40)] * 5]
    return [*[link(20, 10, queue, jitter)] * 2, *users, "phase 40 80"]


def fairness(law: str, ways: Ways, delay_ms: float, queue: int) -> list[str]:
    """thesis Tables 5.3 and 5.4: one link, on which a TCP starts at 40 s and stays."""
    return [
        link(15, delay_ms, queue),
        flow("M", law, [0, 0], ways),
        flow("T", "reno", [0], LINUX, 40),
        "phase 0 40",
        "phase 40 80",
        "phase 80 240",
    ]


def run(program: Path, seed: int, lines: Sequence[str]) -> dict[str, float]:
    """Run the simulator, and return what it printed by name.

    `NAME` is the throughput of all flows of that name and `NAME path K` their
    throughput on a path, both in Mbit/s of frames. `lost K` is the loss on a link in %.
    Phases after the first have `NAME, phase P`.
    """
    answer = subprocess.run(
        [str(program), str(seed)],
        input="\n".join(lines),
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, float] = {}
    for line in answer.stdout.splitlines():
        kind, number, *rest = line.split()
        if kind == "lost":
            found[f"lost {number}"] = float(rest[0])
            continue
        name, *paths = rest
        for k, rate in enumerate(map(float, paths), start=1):
            for key in (name, f"{name} path {k}"):
                key += f", phase {number}" if number != "0" else ""
                found[key] = found.get(key, 0.0) + rate
    return found


def build(folder: Path) -> Path:
    """Compile the simulator into a folder."""
    program = folder / SOURCE.stem
    words = ["cc", "-O2", "-o", str(program), str(SOURCE), "-lm"]
    subprocess.run(words, check=True)
    return program


def _packets_per_s(found: Mapping[str, float]) -> dict[str, float]:
    rates = {k: found[k] * 1e6 / 8 / FRAME_BYTES for k in ("S1", "S2", "M")}
    return rates | {"lost 1, %": found["lost 0"], "lost 2, %": found["lost 1"]}


def _paths(found: Mapping[str, float]) -> dict[str, float]:
    return {"top": found["M path 1"], "bottom": found["M path 2"]}


def _goodput(found: Mapping[str, float], users: int) -> dict[str, float]:
    """Goodput per user, Mbit/s; of all users together with users = 1."""
    return {
        name: found[name] * PAYLOAD_BYTES[name] / FRAME_BYTES / users for name in "MT"
    }


LAWS = ("ewtcp", "semicoupled", "lia", "balia", "coupled-balia", "olia")


def cases(scenario: str) -> Iterator[tuple[str, list[str]]]:
    """Name and lines of each case of a scenario."""
    if scenario == "rtt-mismatch":
        for name, ways in (
            ("Linux", LINUX),
            ("every packet acknowledged", Ways(delayed=False)),
            ("parts of packets", Ways(parts=True)),
            ("both", SIMULATOR),
        ):
            yield name, rtt_mismatch(ways)
    elif scenario == "bursty-cbr":
        for law in ("ewtcp", "lia", "coupled"):
            yield f"{law}, Linux, 10 ms", bursty(law, LINUX, 5)
            for delay_ms in (5, 2.5, 0.5):
                name = f"{law}, simulator, {2 * delay_ms:g} ms"
                yield name, bursty(law, SIMULATOR, delay_ms)
    elif scenario == "four-links":
        for many in (1, 4):
            for law in ("coupled", "coupled-balia"):
                yield f"{law}, {many} a user", four_links(law, LINUX, many)
    elif scenario == "friendliness":
        for law in LAWS:
            for queue in (10, 50):
                yield f"{law}, queue {queue}", friendliness(law, LINUX, queue, 60)
            yield f"{law}, grown as 3.11", friendliness(law, LINUX_3_11, 50, 60)
            short = 60 * FRAME_BYTES / 1538
            yield f"{law}, of 1538 bytes", friendliness(law, LINUX_3_11, 50, short)
    elif scenario == "responsiveness":
        for law in LAWS:
            for queue in (20, 50):
                yield f"{law}, queue {queue}", responsiveness(law, LINUX, queue)
            yield f"{law}, jitter 5", responsiveness(law, LINUX, 50, 5)
            yield f"{law}, grown as 3.11", responsiveness(law, LINUX_3_11, 50)

    elif scenario == "fairness":
        for law in ("lia", "olia", "balia"):
            for delay_ms, queue in ((10, 25), (20, 20), (50, 60), (100, 125)):
                name = f"{law}, {delay_ms} ms, queue {queue}"
                yield name, fairness(law, LINUX, delay_ms, queue)
            yield f"{law}, as in v0.91", fairness(law, LINUX_3_11, 10, 25)


def cells(scenario: str, found: Mapping[str, float]) -> dict[str, float]:
    """The values of one run that are printed, by name."""
    if scenario == "rtt-mismatch":
        return _packets_per_s(found)
    if scenario == "bursty-cbr":
        return _paths(found)
    if scenario == "fairness":
        return {
            "alone": found["M"],
            "both, M": found["M, phase 1"],
            "both, T": found["T, phase 1"],
            "later, M": found["M, phase 2"],
            "later, T": found["T, phase 2"],
        }
    if scenario == "four-links":
        total = sum(found[user] for user in "ABC") / 30
        return {user: found[user] / total for user in "ABC"} | {
            "A path 2": found["A path 2"] / total
        }
    return _goodput(found, USERS if scenario == "friendliness" else 1)


SCENARIOS = (
    "rtt-mismatch",
    "bursty-cbr",
    "four-links",
    "friendliness",
    "responsiveness",
    "fairness",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="S")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        for scenario in given.scenarios or SCENARIOS:
            print(scenario)
            for name, lines in cases(scenario):
                rows = [
                    cells(scenario, run(program, seed, lines))
                    for seed in range(1, given.seeds + 1)
                ]
                words = []
                for key in rows[0]:
                    values = np.array([row[key] for row in rows])
                    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
                    words.append(f"{key} {values.mean():.4g} ± {half:.2g}")
                print(f"  {name}: {'; '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
