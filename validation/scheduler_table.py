"""The ten situations of experiments/schedulers as one table with intervals.

    python -m validation.scheduler_table [--part goodput|times|statements]
        [results/schedulers-bulk results/schedulers-download]

Executes the experiments whose results are not there, and prints Markdown: one row per
scheduler, and one column per situation with the mean over the repetitions and the half
width of its 95 % confidence interval (Student's t). The last table has the registered
statements (studies/notes/schedulers.md).
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from analysis.figures.intervals import mean_interval

ROOT = Path(__file__).parents[1]
FOLDERS = ("results/schedulers-bulk", "results/schedulers-download")
CAPACITY, DELAY = "path2.capacity_mbps", "path2.delay_ms"
SIZE = "traffic.size_bytes"
Cells = Mapping[tuple[str, tuple[float, float]], tuple[float, float]]
"""Mean and half width by the case and the situation."""


def table_of(folder: Path) -> pd.DataFrame:
    """The table of a campaign, which is executed if the folder has none."""
    if not (folder / "runs.csv").exists():
        file = ROOT / f"experiments/schedulers/{folder.name}.yaml"
        words = ["-m", "mpbench.cli", "run", str(file), "--out", str(folder)]
        subprocess.run([sys.executable, *words], stdout=sys.stderr, check=True)
    return pd.read_csv(folder / "runs.csv")


def cells(runs: pd.DataFrame, metric: str, factors: tuple[str, str]) -> Cells:
    """The cells of a campaign. Raises ValueError if a run is not ok."""
    if (runs["verdict"] != "ok").any():
        raise ValueError("not every run is ok; `mpbench run` says why")
    found = {}
    for (case, *at), group in runs.groupby(["case", *factors], sort=False):
        place = float(str(at[0])), float(str(at[1]))
        found[str(case), place] = mean_interval(group[metric].to_numpy())
    return found


def ratio(of: Cells, one: str, other: str, at: tuple[float, float]) -> float:
    """The mean of one case divided by that of another."""
    return of[one, at][0] / of[other, at][0]


def statements(bulk: Cells, download: Cells) -> list[tuple[str, str, str, bool]]:
    """Each registered statement: its name, what was compared, the ratio, and whether it
    holds."""
    far, slow, short = (10.0, 100.0), (2.0, 100.0), (100.0, 64_000.0)
    stms = ratio(bulk, "stms", "lowrtt", far)
    daps = ratio(bulk, "daps", "roundrobin", far)
    otias = [
        ratio(download, "otias", other, short) for other in ("roundrobin", "lowrtt")
    ]
    blest = ratio(bulk, "blest", "tcp1", slow)
    tails = [
        ratio(download, "ecf-tail", "ecf", at)
        for at in dict.fromkeys(at for _, at in download)
        if at[0] == 100.0
    ]
    return [
        ("S1", "`stms` / `lowrtt` >= 1.1", f"{stms:.3g}", stms >= 1.1),
        ("S2", "`daps` / `roundrobin` >= 1.1", f"{daps:.3g}", daps >= 1.1),
        (
            "S3",
            "`otias` / `roundrobin` <= 0.9, / `lowrtt` <= 1",
            f"{otias[0]:.3g}, {otias[1]:.3g}",
            otias[0] <= 0.9 and otias[1] <= 1,
        ),
        ("S4", "`blest` / `tcp1` >= 0.95", f"{blest:.3g}", blest >= 0.95),
        (
            "S5",
            "`ecf-tail` / `ecf` <= 1.02",
            ", ".join(f"{tail:.3g}" for tail in tails),
            max(tails) <= 1.02,
        ),
    ]


def table(of: Cells, heads: Mapping[tuple[float, float], str]) -> list[str]:
    """Lines of Markdown."""
    cases = dict.fromkeys(case for case, _ in of)
    lines = [
        "| scheduler | " + " | ".join(heads.values()) + " |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for case in cases:
        values = [of[case, at] for at in heads]
        words = " | ".join(f"{mean:.3g} ± {half:.2g}" for mean, half in values)
        lines.append(f"| `{case}` | {words} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bulk", nargs="?", type=Path, default=FOLDERS[0])
    parser.add_argument("download", nargs="?", type=Path, default=FOLDERS[1])
    parser.add_argument("--part", choices=("goodput", "times", "statements"))
    options = parser.parse_args()
    runs = [table_of(Path(folder)) for folder in (options.bulk, options.download)]
    bulk = cells(runs[0], "goodput_mbps", (CAPACITY, DELAY))
    download = cells(runs[1], "completion_time_s", (DELAY, SIZE))
    of_bulk = {at: f"{at[0]:g} Mbit/s, {at[1]:g} ms" for _, at in bulk}
    of_size = {at: f"{at[1] / 1000:g} kB, {at[0]:g} ms" for _, at in download}
    judged = [
        f"| {name} | {what} | {value} | {'yes' if holds else 'no'} |"
        for name, what, value, holds in statements(bulk, download)
    ]
    head = ["| statement | compared | ratio | holds |", "|---|---|---|---|"]
    parts = {
        "goodput": table(bulk, of_bulk),
        "times": table(download, of_size),
        "statements": [*head, *judged],
    }
    wanted = [options.part] if options.part else list(parts)
    print("\n\n".join("\n".join(parts[name]) for name in wanted))


if __name__ == "__main__":
    main()
