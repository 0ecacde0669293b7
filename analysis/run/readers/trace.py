"""Reader of `trace.csv`: the state of all subflows at regular times."""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from jobs.artefacts import TRACE

COLUMNS = TRACE

TEXT_COLUMNS = ("host", "local", "remote", "token")
UNLIMITED = 2**31 - 1
"""The kernel's ssthresh of a subflow that has not lost anything yet."""
STATE = {
    "alpha": ("alpha_2^-16", 2.0**-16),
    "beta": ("beta_2^-16", 2.0**-16),
    "rate_mbps": ("rate_kbps", 1e-3),
    "phase": ("state", 1.0),
    "interval_mbps": ("interval_kbps", 1e-3),
    "utility": ("utility_2^-20", 2.0**-20),
    "interval_loss_percent": ("loss_2^-20", 100 * 2.0**-20),
    "rtt_slope": ("slope_2^-20", 2.0**-20),
    "scheduler_number": ("scheduler_number", 1.0),
}
"""The controllers' state and the scheduler's number: for each column that is added, the
column of the file and the factor from its unit."""
NUMBERS = {*COLUMNS, "interval", *(column for column, _ in STATE.values())} - {
    *TEXT_COLUMNS
}
OF_INTERVALS = ("interval_mbps", "utility", "interval_loss_percent", "rtt_slope")
"""The state that describes a monitor interval."""
LEAST_BYTES = 100_000
"""A connection with fewer acknowledged bytes counts as one without data, such as the
control connection of iperf3."""


def read(path: Path) -> pd.DataFrame:
    """One row per subflow and time, in the order of the file.

    The columns are those of the file. `ssthresh` is NaN for a subflow without losses.
    These columns are added:

    connection : the MPTCP token, or both ends of a plain TCP connection
    throughput_mbps : from the bytes acknowledged since the sample before
    alpha, beta : of coupled controllers (docs/controllers.md); NaN for others
    rate_mbps, phase : of mpcc (docs/mpcc.md): the rate that the subflow publishes, and
        1 in slow start, 2 while probing, 3 while moving; NaN for other controllers
    interval_mbps, utility, interval_loss_percent, rtt_slope : of the subflow's last
        monitor interval; NaN before the first one, and for other controllers
    scheduler_number : what the scheduler publishes; NaN for one that publishes nothing

    Raises ValueError if the file is missing or has another format.
    """
    try:
        return parse(path.read_text(encoding="utf-8"), path.name)
    except FileNotFoundError as error:
        raise ValueError(f"{path.name}: missing") from error


def parse(text: str, name: str) -> pd.DataFrame:
    """Parse a file's text, see `read`. `name` is its name in error messages."""
    head = text.partition("\n")[0].split(",")
    if tuple(head[: len(COLUMNS)]) != COLUMNS:
        raise ValueError(f"{name}: columns must begin with {','.join(COLUMNS)}")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(",") != len(head) - 1:
            raise ValueError(
                f"{name}: line {number} does not have {len(head)} values; is the file"
                " truncated?"
            )
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            dtype=dict.fromkeys(TEXT_COLUMNS, "string") | {"time_s": "float64"},
            keep_default_na=False,
            na_values={column: [""] for column in head if column not in TEXT_COLUMNS},
        )
    except (ValueError, pd.errors.ParserError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{name}: not a table ({reason})") from error
    numbers = frame[[column for column in head if column in NUMBERS]]
    # Columns without a row have no type.
    if len(frame) and (
        not all(map(pd.api.types.is_numeric_dtype, numbers.dtypes))
        or np.isinf(numbers.to_numpy(dtype=float)).any()
    ):
        raise ValueError(f"{name}: not a table (a cell is not a finite number)")
    frame["ssthresh"] = frame["ssthresh"].where(frame["ssthresh"] < UNLIMITED)
    ends = frame["local"] + "-" + frame["remote"]
    frame["connection"] = frame["token"].where(frame["token"] != "", ends)
    by_subflow = frame.groupby(["host", "local", "remote"], sort=False)
    seconds = by_subflow["time_s"].diff()
    frame["throughput_mbps"] = by_subflow["bytes_acked"].diff() * 8 / seconds / 1e6
    for name, (column, factor) in STATE.items():
        if column in frame.columns:
            frame[name] = frame[column].astype(float) * factor
        else:
            frame[name] = float("nan")
    if "interval" in frame.columns:
        counted = frame["interval"] > 0
        for name in OF_INTERVALS:
            frame[name] = frame[name].where(counted)
    return frame


def data(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the connections that carried at least LEAST_BYTES."""
    last = frame.groupby(["host", "connection", "local", "remote"])["bytes_acked"].max()
    total = last.groupby(["host", "connection"]).sum()
    keep = total[total >= LEAST_BYTES].index
    return frame[
        pd.MultiIndex.from_frame(frame[["host", "connection"]]).isin(keep)
    ].reset_index(drop=True)
