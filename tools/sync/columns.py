"""Names of the columns, samples and series, apart from all that computes them.

The keys of an entry need them, and a spec is read without pandas.
"""

TIME, FILES, CONNECTIONS = "sync.time_s", "sync.files", "sync.connections"
FILE = "sync.file_s"
DONE_BYTES, DONE_FILES = "sync.done_bytes", "sync.done_files"
PERCENTILES = {
    "sync.file_median_s": 50.0,
    "sync.file_p95_s": 95.0,
    "sync.file_p99_s": 99.0,
    "sync.file_greatest_s": 100.0,
}
TIMES = (TIME, *PERCENTILES)
LABELS = {
    TIME: "sync time [s]",
    FILES: "synced files",
    CONNECTIONS: "connections of the sync",
    "sync.file_median_s": "median file time [s]",
    "sync.file_p95_s": "file time p95 [s]",
    "sync.file_p99_s": "file time p99 [s]",
    "sync.file_greatest_s": "file time max [s]",
}
