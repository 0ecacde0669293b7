"""Make the captures below captured/ again: `python -m tests.capture.make [KIND...]`.

Needs the guest kernel, root (for make_host.py), and wireshark's tshark and mergecap.
Of each kind stay, packed with zstd: what the client and the server captured, merged;
tshark's fields of every packet; the kernels' counters that are not 0; what the
programs said. The suite needs none of the tools.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mpbench.backends.base import Bounds
from tests.capture import make_captures, make_host
from tests.guest_network import ENDS, some
from tests.virtual.lab import guest_call, lab_with

HERE = Path(__file__).parent
TARGET = HERE / "captured"
FIELDS = (
    "frame.time_epoch",
    "frame.len",
    "ip.src",
    "ipv6.src",
    "tcp.srcport",
    "ip.dst",
    "ipv6.dst",
    "tcp.dstport",
    "tcp.stream",
    "tcp.len",
    "tcp.flags",
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
    "tcp.analysis.duplicate_ack",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.bytes_in_flight",
    "tcp.analysis.zero_window",
    "tcp.analysis.keep_alive",
    "tcp.analysis.lost_segment",
    "tcp.options.mptcp.subtype",
    "tcp.options.mptcp.datafin.flag",
    "tcp.options.mptcp.rawdataack",
    "tcp.options.mptcp.rawdataseqno",
    "mptcp.stream",
    "mptcp.expected_token",
    "tcp.options.mptcp.recvtok",
    "tcp.options.sack_le",
    "mptcp.rawdsn64",
)


def tshark(capture: Path) -> bytes:
    """A line a TCP packet, FIELDS separated by tabs."""
    options = [word for name in FIELDS for word in ("-e", name)]
    preferences = ["-o", "mptcp.analyze_mptcp:TRUE"]
    preferences += ["-o", "mptcp.relative_sequence_numbers:FALSE"]
    argv = ["tshark", "-r", str(capture), *preferences, "-Y", "tcp", "-T", "fields"]
    return subprocess.run([*argv, *options], check=True, capture_output=True).stdout


def packed(content: bytes, target: Path) -> None:
    argv = ["zstd", "-q", "-12", "-f", "-o", str(target)]
    subprocess.run(argv, input=content, check=True)


def keep(kind: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for end in ENDS:
        with tempfile.TemporaryDirectory() as folder:
            merged = Path(folder) / "merged.pcap"
            files = [str(p) for p in sorted(kind.glob(f"{end}-*.pcap"))]
            argv = ["mergecap", "-F", "pcap", "-w", str(merged), *files]
            subprocess.run(argv, check=True)
            packed(merged.read_bytes(), target / f"{end}.pcap.zst")
            packed(tshark(merged), target / f"{end}.tsv.zst")
        counted = some((kind / f"nstat-{end}.json").read_text())
        (target / f"nstat-{end}.json").write_text(json.dumps(counted, indent=0) + "\n")
        said = (kind / f"{end}.json").read_text()
        (target / f"{end}.json").write_text(json.dumps(_told(said)) + "\n")


def _told(said: str) -> dict[str, Any]:
    """Bytes that a program received and sent."""
    report: dict[str, Any] = json.loads(said)
    if "end" not in report:
        return report
    end = report["end"]
    return {
        "sent": end["sum_sent"]["bytes"],
        "received": end["sum_received"]["bytes"],
    }


SEEDS = {"late-timer": 17}
"""Of kinds in which something rare happens; 7 is that of the others."""


def guest(names: list[str], root: Path, seed: int = 7) -> list[Path]:
    """Run make_captures.py in a guest; the folders of the kinds that it made."""
    call = guest_call("tests.capture.make_captures", names)
    lab = lab_with(root, call)
    bounds = Bounds(virtual_s=600, wall_s=1800, silence_s=600)
    ended, artefacts = lab.execute({"seed": seed}, bounds)
    made = artefacts.parent / "captured"
    if not (made / "done").exists():
        sys.exit(f"{ended}\n{(artefacts / 'console.log').read_text()}")
    return [made / name for name in names]


def main(names: list[str]) -> None:
    wanted = names or [*make_captures.KINDS, *make_host.KINDS]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        made = []
        in_guest = [name for name in wanted if name in make_captures.KINDS]
        if common := [name for name in in_guest if name not in SEEDS]:
            made += guest(common, root)
        for name in in_guest:
            if name in SEEDS:
                made += guest([name], root / name, SEEDS[name])
        made += [make_host.make(root, n) for n in wanted if n in make_host.KINDS]
        for kind in made:
            shutil.rmtree(TARGET / kind.name, ignore_errors=True)
            keep(kind, TARGET / kind.name)


if __name__ == "__main__":
    main(sys.argv[1:])
