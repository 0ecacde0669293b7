"""Names of the columns, samples and series, apart from all that computes them.

The keys of an entry need them, and a spec is read without pandas.
"""

STARTUP, STALLED = "video.startup_s", "video.stalled_s"
STALLS, CHANGES = "video.stalls", "video.changes"
BITRATE = "video.bitrate_mbps"
CHUNK, BUFFER, QUALITY = "video.chunk_s", "video.buffer_s", "video.quality_mbps"
PERCENTILES = {
    "video.chunk_median_s": 50.0,
    "video.chunk_p95_s": 95.0,
    "video.chunk_p99_s": 99.0,
    "video.chunk_greatest_s": 100.0,
}
WORSE_IF_MORE = (STARTUP, STALLED, STALLS, CHANGES, *PERCENTILES)
LABELS = {
    STARTUP: "video startup time [s]",
    STALLED: "time in video stalls [s]",
    STALLS: "video stalls",
    CHANGES: "changes of video quality",
    BITRATE: "video bitrate [Mbit/s]",
    "video.chunk_median_s": "median chunk time [s]",
    "video.chunk_p95_s": "chunk time p95 [s]",
    "video.chunk_p99_s": "chunk time p99 [s]",
    "video.chunk_greatest_s": "chunk time max [s]",
}
