"""What a run's captures say of it, for its row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import metrics
from analysis.artefacts import Artefacts

PATTERN = "capture-*.pcap"


def columns(folder: Path, run: Artefacts) -> dict[str, Any]:
    """Metrics from the captures in `folder`; none if there is no capture.

    Captures at the interfaces of hosts that send data are one point, those of hosts
    that receive another; of captures elsewhere, all are taken as the first.
    Only connections that carry data the way of the traffic count.

    capture_retransmission_ratio : segments sent again over segments sent first
    capture_reinjection_ratio : packets whose data had gone over another subflow
        before, over segments sent first
    capture_ooo_ratio : packets whose data came after later ones of the connection,
        over packets with new data; where they were captured
    path<i>.capture_share : data bytes that path i was the first to carry, over all
    path<i>.loss_probability : packets lost on the way from sender to receiver, over
        those sent; needs both points
    mean_loss_probability : of these, weighted with the shares (thesis, sec. 5.2.2)
    """
    files = sorted(folder.glob(PATTERN))
    if not files:
        return {}
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.frames import frames

    near, far = _points(files, run)
    found = frames(analyse(near, far, Settings(events=())))
    ways = {(e.source, e.forward) for e in run.asked.traffic}
    directions = {0 if forward else 1 for _, forward in ways}
    mine = found.subflows[
        (found.subflows["point"] == 0) & found.subflows["direction"].isin(directions)
    ]
    data = found.data[
        found.data["connection"].isin(mine["connection"])
        & found.data["direction"].isin(directions)
    ]
    first = int((mine["payload_packets"] - mine["retransmissions"]).sum())
    again = int(mine["retransmissions"].sum())
    reinjected = int(data["reinjected_packets"].sum())
    new = int(data["packets"].sum())
    return {
        "capture_retransmission_ratio": _ratio(again, first),
        "capture_reinjection_ratio": _ratio(reinjected, first),
        "capture_ooo_ratio": _ratio(int(data["ooo_packets"].sum()), new),
        **_by_path(mine, run, bool(far)),
    }


def _ratio(part: int, whole: int) -> float | None:
    return metrics.retransmission_ratio(part, whole) if whole else None


def _points(files: Sequence[Path], run: Artefacts) -> tuple[list[Path], list[Path]]:
    """Captures of the senders of data, and of the receivers."""
    senders = {entry.sending_host for entry in run.asked.traffic}
    by_host: dict[bool, list[Path]] = {True: [], False: []}
    for file in files:
        interface = file.stem.removeprefix("capture-")
        host = next((h for h in run.asked.hosts if interface.startswith(f"{h}-")), None)
        if host is not None:
            by_host[host in senders].append(file)
    if by_host[True]:
        return by_host[True], by_host[False]
    return by_host[False] or list(files), []


def _by_path(mine: pd.DataFrame, run: Artefacts, paired: bool) -> dict[str, Any]:
    addresses = {
        path.address: number
        for paths in run.users.values()
        for number, path in enumerate(paths, start=1)
        if path.address
    }
    numbers = [
        addresses.get(source) or addresses.get(target)
        for source, target in zip(mine["source"], mine["target"], strict=True)
    ]
    frame = mine.assign(
        path=pd.Series(numbers, index=mine.index, dtype="float64")
    ).dropna(subset="path")
    sums = frame.groupby("path")[["data_bytes", "matched", "unmatched"]].sum()
    total = int(sums["data_bytes"].sum())
    if not total:
        return {}
    columns: dict[str, Any] = {}
    losses = []
    shares = metrics.shares([float(each) for each in sums["data_bytes"]])
    for (number, row), share in zip(sums.iterrows(), shares, strict=True):
        name = f"path{int(float(str(number)))}"
        columns[f"{name}.capture_share"] = share
        decided = int(row["matched"] + row["unmatched"])
        if paired and decided:
            losses.append(row["unmatched"] / decided)
            columns[f"{name}.loss_probability"] = losses[-1]
    if paired and len(losses) == len(shares):
        columns["mean_loss_probability"] = metrics.mean_loss_probability(losses, shares)
    return columns
