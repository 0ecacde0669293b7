"""A made-up campaign of 98 points in the low-BDP domain, as rows."""

from typing import Any

import numpy as np

from analysis.run import metrics

HIGHEST = {"capacity_mbps": 100.0, "delay_ms": 25.0, "queueing_delay_ms": 100.0}
LOWEST = {"capacity_mbps": 1.0, "delay_ms": 1.0, "queueing_delay_ms": 0.0}
FACTORS = tuple(f"path{path}.{name}" for path in (1, 2) for name in HIGHEST)


def rows(points: int = 98, seed: int = 1) -> list[dict[str, Any]]:
    """Three runs per point; MPTCP loses more the more the capacities differ."""
    random = np.random.default_rng(seed)
    made = []
    for point in range(points):
        factors = {
            f"path{path}.{name}": float(random.uniform(LOWEST[name], HIGHEST[name]))
            for path in (1, 2)
            for name in HIGHEST
        }
        capacities = [factors[f"path{path}.capacity_mbps"] for path in (1, 2)]
        alone = [float(c * random.uniform(0.88, 0.955)) for c in capacities]
        lost = abs(capacities[0] - capacities[1]) / 100 * random.uniform(0.02, 0.12)
        together = sum(alone) * (1 - float(lost) - 0.01)
        made.append(_row(point, "mptcp", None, together, factors))
        made += [
            _row(point, f"tcp{path}", path, alone[path - 1], factors) for path in (1, 2)
        ]
    return made


def _row(
    point: int, case: str, path: int | None, goodput: float, factors: dict[str, float]
) -> dict[str, Any]:
    capacities = [factors[f"path{path}.capacity_mbps"] for path in (1, 2)]
    row: dict[str, Any] = {
        "id": f"{point:04x}{case}",
        "point": point,
        "case": case,
        "repetition": 0,
        **factors,
        "verdict": "ok",
        "reason": "",
        "protocol": "tcp" if path else "mptcp",
        "congestion_control": "reno" if path else "lia",
        "path": path,
        "goodput_mbps": goodput,
        "retransmission_ratio": 0.001,
    }
    if path is None:
        share = capacities[0] / sum(capacities)
        row["aggregation_benefit"] = metrics.aggregation_benefit(goodput, capacities)
        row["aggregation_benefit_bound"] = metrics.aggregation_benefit(
            sum(capacities) * 1448 / 1514, capacities
        )
        row |= {"path1.share": share, "path2.share": 1 - share}
    return row
