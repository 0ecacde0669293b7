"""Names of the columns and their labels, apart from all that computes them."""

EXCHANGES = "pingpong.exchanges"
MEAN, MOST = "pingpong.mean_ms", "pingpong.max_ms"
PERCENTILES = {
    "pingpong.median_ms": 50,
    "pingpong.p95_ms": 95,
    "pingpong.p99_ms": 99,
}
TIMES = (MEAN, *PERCENTILES, MOST)
LABELS = {
    EXCHANGES: "exchanges",
    MEAN: "mean exchange time [ms]",
    "pingpong.median_ms": "median exchange time [ms]",
    "pingpong.p95_ms": "exchange time p95 [ms]",
    "pingpong.p99_ms": "exchange time p99 [ms]",
    MOST: "exchange time max [ms]",
}
