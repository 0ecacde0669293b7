"""Metrics of a run from its packet captures, for the run's row."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run import absent, metrics, path_names
from analysis.run.artefacts import Artefacts

PATTERN = "capture-*.pcap"
SENDERS, RECEIVERS = 0, 1
"""The two capture points, as `analysis.capture` numbers them."""


RATIOS = (
    "capture_retransmission_ratio",
    "capture_reinjection_ratio",
    "capture_ooo_ratio",
)
"""Columns of a run that do not depend on paths."""


def columns(folder: Path, run: Artefacts) -> dict[str, Any]:
    """The columns that come from the captures in a folder; none without captures.

    Captures at interfaces of hosts that send data are one capture point, and those at
    interfaces of hosts that receive data are the other. If all captures are elsewhere,
    they count as the first point. Only data in the direction of the traffic count.

    capture_retransmission_ratio : retransmitted segments over segments sent for the
        first time
    capture_reinjection_ratio : packets whose data another subflow had carried before,
        over segments sent for the first time
    capture_ooo_ratio : packets whose data come after later data of the connection,
        over packets with new data; both at the capture point
    path<i>.capture_share : share of the connection's data bytes that path i was the
        first to carry, 0-1
    path<i>.loss_probability : packets lost between both points over packets sent, 0-1;
        only with captures at both ends of the path
    mean_loss_probability : the losses of all paths, each weighted with the path's share
        (thesis, sec. 5.2.2)

    path<i> stands for the name of a user's path, see `path_names`.
    """
    files = sorted(folder.glob(PATTERN))
    if not files:
        return {}
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.frames import losses_known

    near, far = _points(files, run)
    tables = analyse(near, far, Settings(events=()))
    numbers = [int(not forward) for forward in {e.forward for e in run.traffic}]
    subflows = tables.subflows[tables.subflows["point"] == SENDERS]
    at_senders = np.isin(tables.directions["subflow"], subflows["subflow"])
    points = np.where(at_senders, SENDERS, RECEIVERS)
    known = losses_known(tables.directions, points) & bool(far)
    chosen = at_senders & np.isin(tables.directions["direction"], numbers)
    directions = tables.directions[chosen]
    data = tables.data[
        np.isin(tables.data["connection"], subflows["connection"])
        & np.isin(tables.data["direction"], numbers)
    ]
    again = directions["retransmissions"].sum()
    first = int((directions["payload_packets"] - directions["retransmissions"]).sum())
    return {
        "capture_retransmission_ratio": _ratio(again, first),
        "capture_reinjection_ratio": _ratio(data["reinjected_packets"].sum(), first),
        "capture_ooo_ratio": _ratio(data["ooo_packets"].sum(), data["packets"].sum()),
        **_by_path(directions, subflows, run, known[chosen]),
    }


def removed(folder: Path, run: Artefacts) -> bool:
    """Whether the run had captures of which none is left: most are removed when the row
    is made."""
    return bool(run.job.capture) and not any(folder.glob(PATTERN))


def of_row(stored: Mapping[str, Any], run: Artefacts) -> dict[str, Any]:
    """The columns of captures that were removed, from the row that was made of them.

    stored : the row; values that cannot be what `columns` gives are left out
    """
    names = {"mean_loss_probability"}
    for name in path_names.of_job(run.job) or _numbered(run):
        names |= {f"{name}.capture_share", f"{name}.loss_probability"}
    return {
        name: value
        for name, value in stored.items()
        if (name in names or name in RATIOS) and _may_be(value)
    }


def why_none_by_row(stored: Mapping[str, Any]) -> str:
    """Reason why removed captures gave no retransmission ratio, by the stored row."""
    reasons = absent.read(stored.get(absent.COLUMN))
    return reasons.get("capture_retransmission_ratio", "its captures are not there")


def _numbered(run: Artefacts) -> list[str]:
    """The names that `_by_path` gives to paths of several users."""
    most = max((len(paths) for paths in run.users.values()), default=0)
    return [f"path{number}" for number in range(1, most + 1)]


def _may_be(value: object) -> bool:
    if value is None:
        return True
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and isfinite(value) and value >= 0  # type: ignore[arg-type,operator]


def why_none(folder: Path, run: Artefacts) -> str:
    """Reason why the captures of a run gave no retransmission ratio; empty if the job
    asks for none."""
    if not run.job.capture:
        return ""
    files = sorted(folder.glob(PATTERN))
    if not files:
        return "its captures are not there"
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.faults import without_tcp

    near, far = _points(files, run)
    lacking = without_tcp(analyse(near, far, Settings(events=())).inputs)
    return f"its captures have {lacking or 'no data of the traffic'}"


def _ratio(part: int, whole: int) -> float | None:
    return metrics.retransmission_ratio(int(part), int(whole)) if whole else None


def _points(files: Sequence[Path], run: Artefacts) -> tuple[list[Path], list[Path]]:
    """The captures at hosts that send data, and those at hosts that receive data."""
    senders = {host for entry in run.traffic for host in entry.sending_hosts}
    by_host: dict[bool, list[Path]] = {True: [], False: []}
    for file in files:
        interface = file.stem.removeprefix("capture-")
        host = next((h for h in run.hosts if interface.startswith(f"{h}-")), None)
        if host is not None:
            by_host[host in senders].append(file)
    if by_host[True]:
        return by_host[True], by_host[False]
    return by_host[False] or list(files), []


def _path_numbers(subflows: np.ndarray, run: Artefacts) -> dict[int, int]:
    """The number of each subflow to the number of its path, found by its addresses."""
    from analysis.capture.frames import ends

    addresses = {
        path.address: number
        for paths in run.users.values()
        for number, path in enumerate(paths, start=1)
        if path.address
    }
    numbers: dict[int, int] = {}
    for subflow in subflows:
        for address, _ in ends(subflow).values():
            if address in addresses:
                numbers[int(subflow["subflow"])] = addresses[address]
    return numbers


def _by_path(
    directions: np.ndarray, subflows: np.ndarray, run: Artefacts, known: np.ndarray
) -> dict[str, Any]:
    """The columns of each path, and the mean loss probability.

    directions : the directions of subflows in which data flow, shape (n,)
    known : True for each of them whose losses are known, shape (n,)
    """
    numbers = _path_numbers(subflows, run)
    path_of = np.array([numbers.get(int(n), 0) for n in directions["subflow"]])
    paths = sorted(set(numbers.values()))
    carried = [float(directions["data_bytes"][path_of == p].sum()) for p in paths]
    if not any(carried):
        return {}
    columns: dict[str, Any] = {}
    losses, shares = [], metrics.shares(carried)
    names = path_names.of_job(run.job)
    for path, share in zip(paths, shares, strict=True):
        name = names[path - 1] if 0 < path <= len(names) else f"path{path}"
        columns[f"{name}.capture_share"] = share
        on_path = (path_of == path) & known
        lost = int(directions["unmatched"][on_path].sum())
        decided = lost + int(directions["matched"][on_path].sum())
        if decided:
            losses.append(lost / decided)
            columns[f"{name}.loss_probability"] = losses[-1]
    if len(losses) == len(shares):
        columns["mean_loss_probability"] = metrics.mean_loss_probability(losses, shares)
    return columns
