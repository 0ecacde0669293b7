"""`trace.csv`: the windows of all subflows at even times."""

import io
from pathlib import Path

import pandas as pd

COLUMNS = (
    *("time_s", "host", "path", "local", "remote", "token", "local_id", "remote_id"),
    *("cwnd", "ssthresh", "srtt_us", "retransmissions", "bytes_acked"),
)
WORDS = ("host", "local", "remote", "token")
UNLIMITED = 2**31 - 1
"""ssthresh of a subflow that has not lost anything yet; not a number of segments."""
SHOWN_ONE = 2.0**16
"""Of alpha and beta as coupled controllers tell them (`alpha_2^-16`)."""
LEAST_BYTES = 100_000
"""A connection that never had more acknowledged carried no data to speak of:
iperf3's control connection does not."""


def read(path: Path) -> pd.DataFrame:
    """One row a subflow and time, in the order of the file.

    Columns as in the file; `ssthresh` is missing where there is none yet.
    `connection` is added: the token, or both ends of a plain TCP; `throughput_mbps`,
    from what was acknowledged since the sample before; and `alpha` and `beta`, of
    coupled controllers (docs/controllers.md), missing for others.
    Raises ValueError if the file is missing or holds something else.
    """
    try:
        return parse(path.read_text(encoding="utf-8"), path.name)
    except FileNotFoundError as error:
        raise ValueError(f"{path.name}: missing") from error


def parse(text: str, name: str) -> pd.DataFrame:
    head = text.partition("\n")[0].split(",")
    if tuple(head[: len(COLUMNS)]) != COLUMNS:
        raise ValueError(f"{name}: columns must begin with {','.join(COLUMNS)}")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(",") != len(head) - 1:
            raise ValueError(f"{name}: line {number} is cut short, or another table's")
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            dtype=dict.fromkeys(WORDS, "string") | {"time_s": "float64"},
            keep_default_na=False,
            na_values={c: [""] for c in head if c not in WORDS},
        )
    except (ValueError, pd.errors.ParserError) as error:
        what = " ".join(str(error).split())
        raise ValueError(f"{name}: not a table ({what})") from error
    frame["ssthresh"] = frame["ssthresh"].where(frame["ssthresh"] < UNLIMITED)
    ends = frame["local"] + "-" + frame["remote"]
    frame["connection"] = frame["token"].where(frame["token"] != "", ends)
    by_subflow = frame.groupby(["host", "local", "remote"], sort=False)
    seconds = by_subflow["time_s"].diff()
    frame["throughput_mbps"] = by_subflow["bytes_acked"].diff() * 8 / seconds / 1e6
    for name in ("alpha", "beta"):
        told = f"{name}_2^-16"
        known = told in frame.columns
        frame[name] = frame[told].astype(float) / SHOWN_ONE if known else float("nan")
    return frame


def data(frame: pd.DataFrame) -> pd.DataFrame:
    """Only the connections that carried data."""
    last = frame.groupby(["host", "connection", "local", "remote"])["bytes_acked"].max()
    total = last.groupby(["host", "connection"]).sum()
    keep = total[total >= LEAST_BYTES].index
    return frame[
        pd.MultiIndex.from_frame(frame[["host", "connection"]]).isin(keep)
    ].reset_index(drop=True)
