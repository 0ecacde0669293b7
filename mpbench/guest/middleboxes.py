"""Build the middleboxes of a job, and switch them on and off at their times.

An `nft` waits for each switch that comes while traffic runs. It reads its rules when
they are given, so the switch takes no new process.
"""

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jobs import Job
from jobs.artefacts import MIDDLEBOXES
from mpbench.guest import files, middlebox_rules, snapshot
from mpbench.guest.changes import DEADLINE_S, NS, ChangeError, Changes
from mpbench.guest.fabric_changes import FabricChanges
from mpbench.guest.host_changes import HostChanges
from mpbench.guest.middlebox_rules import Place, Table
from mpbench.guest.network import LabNetwork, NetworkError, run, run_batch

LOADER = ["nft", "-f", "-"]
LISTING = ["nft", "-j", "list", "ruleset"]
AT_END = "middlebox-end.json"
Inner = Changes | FabricChanges | HostChanges


def build(job: Job, network: LabNetwork, folder: Path) -> None:
    """Set up all boxes, and switch those on that act before the traffic begins.

    Raises NetworkError, with the tool's own words, if a step fails.
    """
    edits: dict[Place, list[str]] = {}
    text: dict[str, str] = {}
    places = {place.link: place for place in job.wiring.links}
    for number, box in enumerate(job.middleboxes):
        place = places[box.link]
        if values := middlebox_rules.sysctls(box):
            network.nodes[place.forward[0]].write_sysctls(values)
        for where, lines in middlebox_rules.edits(box, number, place).items():
            edits.setdefault(where, []).extend(lines)
    by_node: dict[str, list[str]] = {}
    for (node, interface), lines in edits.items():
        by_node.setdefault(node, []).append(f"qdisc add dev {interface} clsact")
        by_node[node] += lines
    for node, lines in by_node.items():
        run_batch(network.nodes[node], ["tc"], lines, folder / f"middlebox-{node}.tc")
    for number, box in enumerate(job.middleboxes):
        if box.from_s is None:
            for table in middlebox_rules.tables(box, number, places[box.link]):
                text[table.node] = text.get(table.node, "") + table.rules
    for node, rules in text.items():
        _load(network, node, rules, folder / f"middlebox-{node}.nft")


def _load(network: LabNetwork, node: str, rules: str, log: Path) -> None:
    files.write(log, rules)
    status, output = run(
        network.nodes[node], ["nft", "-f", str(log)], stderr=subprocess.STDOUT
    )
    if status or output:
        words = " ".join(output.decode(errors="replace").split())
        raise NetworkError(f"{node}: nft -f {log.name}: {words}")


class Switch:
    """An `nft` in a node that waits for the rules of one switch."""

    def __init__(self, network: LabNetwork, node: str, rules: str, log: Path) -> None:
        self.node, self._rules, self._words = node, rules, log
        with log.open("wb") as words:
            self._process = network.nodes[node].popen(
                LOADER, stdin=subprocess.PIPE, stdout=words, stderr=subprocess.STDOUT
            )

    def make(self) -> None:
        """Give the rules, and wait until they hold. Raises ChangeError if they fail."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(self._rules.encode())
            self._process.stdin.close()
        status = self._process.wait(DEADLINE_S)
        said = " ".join(self._words.read_text(errors="replace").split())
        if status or said:
            raise ChangeError(f"{self.node}: nft: {said or f'exit status {status}'}")

    def close(self) -> None:
        """End a switch that was not made before the traffic ended."""
        if self._process.poll() is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(DEADLINE_S)
        self._words.unlink(missing_ok=True)


class Boxes:
    """The switches of all boxes, and the other changes of a run, if there are any.

    inner : the changes of links and hosts; None for none
    """

    def __init__(
        self, job: Job, network: LabNetwork, inner: Inner | None, folder: Path
    ) -> None:
        self._inner, self._folder = inner, folder
        self._rows: list[str] = []
        self._zero_ns = 0
        self._job, self._network = job, network
        self._steps = sorted(_steps(job), key=lambda step: step[:3])
        self._switches = [
            [
                Switch(network, table.node, text, folder / f"switch-{index}-{at}.nft")
                for at, (table, text) in enumerate(texts)
            ]
            for index, (_, _, _, texts) in enumerate(self._steps)
        ]
        self._made = 0

    def begin(self, zero_s: float) -> None:
        """Count time from `zero_s` of the monotonic clock."""
        self._zero_ns = round(zero_s * NS)
        if self._inner:
            self._inner.begin(zero_s)

    def due_s(self) -> float:
        """The monotonic time of the next change; infinity for none."""
        own = float("inf")
        if self._made < len(self._steps):
            own = (self._zero_ns + self._steps[self._made][0]) / NS
        return min(own, self._inner.due_s()) if self._inner else own

    def take(self) -> None:
        """Make all changes that are due."""
        if self._inner:
            self._inner.take()
        while self._made < len(self._steps):
            due_ns, number, on, _ = self._steps[self._made]
            now_ns = time.monotonic_ns() - self._zero_ns
            if now_ns < due_ns:
                return
            for switch in self._switches[self._made]:
                switch.make()
            self._made += 1
            box = self._job.middleboxes[number]
            times = f"{now_ns / NS:.9f},{due_ns / NS:.9f}"
            state = "on" if on else "off"
            self._rows.append(f"{times},{number},{box.link},{box.kind},{state}")

    def end(self) -> None:
        """Complete the record of the changes. Raises ChangeError if one failed."""
        rows = [",".join(MIDDLEBOXES), *self._rows]
        (self._folder / "middleboxes.csv").write_text("".join(f"{r}\n" for r in rows))
        for switch in (switch for of_step in self._switches for switch in of_step):
            switch.close()
        if self._inner:
            self._inner.end()


def _steps(
    job: Job,
) -> Iterator[tuple[int, int, bool, list[tuple[Table, str]]]]:
    """The switches: nanoseconds after the start of the traffic, number of the box,
    whether it is switched on, and the text for each node."""
    places = {place.link: place for place in job.wiring.links}
    for number, box in enumerate(job.middleboxes):
        found = middlebox_rules.tables(box, number, places[box.link])
        for at_s, on in ((box.from_s, True), (box.until_s, False)):
            if at_s is not None:
                texts = [(table, table.rules if on else table.off) for table in found]
                yield round(at_s * NS), number, on, texts


def make(
    job: Job, network: object, inner: Inner | None, folder: Path
) -> Boxes | Inner | None:
    """All changes of a run; None if it stays as it is."""
    if not any(box.from_s is not None or box.until_s for box in job.middleboxes):
        return inner
    assert isinstance(network, LabNetwork)
    return Boxes(job, network, inner, folder)


def write_counters(job: Job, network: object, folder: Path) -> None:
    """Write the rules as they are at the end, with how many packets each has met."""
    if not job.middleboxes:
        return
    assert isinstance(network, LabNetwork)
    places = {place.link: place for place in job.wiring.links}
    nodes = {
        table.node
        for number, box in enumerate(job.middleboxes)
        for table in middlebox_rules.tables(box, number, places[box.link])
    }
    found: dict[str, Any] = {}
    for node in sorted(nodes):
        status, output = run(network.nodes[node], LISTING, stderr=subprocess.STDOUT)
        if status:
            words = " ".join(output.decode(errors="replace").split())
            raise NetworkError(f"{node}: {' '.join(LISTING)}: {words}")
        found[node] = json.loads(output)
    snapshot.write(folder / AT_END, found)
