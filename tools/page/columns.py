"""Names of the columns, samples and series, apart from all that computes them.

The keys of an entry need them, and a spec is read without pandas.
"""

LOAD, FIRST, INDEX = "page.load_time_s", "page.first_byte_s", "page.byte_index_s"
CONNECTIONS = "page.connections"
OBJECT, LOADED = "page.object_s", "page.loaded_bytes"
PERCENTILES = {
    "page.object_median_s": 50.0,
    "page.object_p95_s": 95.0,
    "page.object_p99_s": 99.0,
    "page.object_greatest_s": 100.0,
}
TIMES = (LOAD, FIRST, INDEX, *PERCENTILES)
LABELS = {
    LOAD: "page load time [s]",
    FIRST: "time to first byte [s]",
    INDEX: "page byte index [s]",
    CONNECTIONS: "connections of the page",
    "page.object_median_s": "median object time [s]",
    "page.object_p95_s": "object time p95 [s]",
    "page.object_p99_s": "object time p99 [s]",
    "page.object_greatest_s": "object time max [s]",
}
