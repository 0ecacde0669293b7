"""What a run's captures say of it, for its row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run import metrics
from analysis.run.artefacts import Artefacts

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
        those sent; needs both points, at interfaces that the path passes
    mean_loss_probability : of these, weighted with the shares (thesis, sec. 5.2.2)
    """
    files = sorted(folder.glob(PATTERN))
    if not files:
        return {}
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.frames import losses_known

    near, far = _points(files, run)
    tables = analyse(near, far, Settings(events=()))
    ways = [int(not forward) for forward in {e.forward for e in run.job.traffic}]
    of_near = tables.subflows[tables.subflows["point"] == 0]
    near_halves = np.isin(tables.directions["subflow"], of_near["subflow"])
    known = losses_known(tables.directions, np.where(near_halves, 0, 1)) & bool(far)
    chosen = near_halves & np.isin(tables.directions["direction"], ways)
    mine = tables.directions[chosen]
    data = tables.data[
        np.isin(tables.data["connection"], of_near["connection"])
        & np.isin(tables.data["direction"], ways)
    ]
    first = int((mine["payload_packets"] - mine["retransmissions"]).sum())
    return {
        "capture_retransmission_ratio": _ratio(mine["retransmissions"].sum(), first),
        "capture_reinjection_ratio": _ratio(data["reinjected_packets"].sum(), first),
        "capture_ooo_ratio": _ratio(data["ooo_packets"].sum(), data["packets"].sum()),
        **_by_path(mine, of_near, run, known[chosen]),
    }


def _ratio(part: int, whole: int) -> float | None:
    return metrics.retransmission_ratio(int(part), int(whole)) if whole else None


def _points(files: Sequence[Path], run: Artefacts) -> tuple[list[Path], list[Path]]:
    """Captures of the senders of data, and of the receivers."""
    senders = {entry.sending_host for entry in run.job.traffic}
    by_host: dict[bool, list[Path]] = {True: [], False: []}
    for file in files:
        interface = file.stem.removeprefix("capture-")
        host = next((h for h in run.job.hosts if interface.startswith(f"{h}-")), None)
        if host is not None:
            by_host[host in senders].append(file)
    if by_host[True]:
        return by_host[True], by_host[False]
    return by_host[False] or list(files), []


def _by_path(
    halves: np.ndarray, subflows: np.ndarray, run: Artefacts, known: np.ndarray
) -> dict[str, Any]:
    """known : of which halves the losses are known, shape (n,)"""
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
    of = np.array([numbers.get(int(each), 0) for each in halves["subflow"]])
    paths = sorted(set(numbers.values()))
    carried = [float(halves["data_bytes"][of == path].sum()) for path in paths]
    if not any(carried):
        return {}
    columns: dict[str, Any] = {}
    losses, shares = [], metrics.shares(carried)
    for path, share in zip(paths, shares, strict=True):
        columns[f"path{path}.capture_share"] = share
        there = (of == path) & known
        lost = int(halves["unmatched"][there].sum())
        decided = lost + int(halves["matched"][there].sum())
        if decided:
            losses.append(lost / decided)
            columns[f"path{path}.loss_probability"] = losses[-1]
    if len(losses) == len(shares):
        columns["mean_loss_probability"] = metrics.mean_loss_probability(losses, shares)
    return columns
