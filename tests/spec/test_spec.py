"""Good experiment files: what a Spec holds."""

from pathlib import Path

import pydantic
import pytest

import tools
import wsp
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan
from mpbench.spec import entries, vocabulary
from mpbench.spec.traffic import Entry
from mpbench.spec.varied import Varied
from tests.parts import part
from tests.spec.files import TEXT, factors, spec, text

ROOT = Path(__file__).parents[2]
SHIPPED = [
    path
    for folder in ("experiments", "studies/causes", "studies/exploration")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
    if not {"parts", "configurations"} & {*path.parts}
]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_experiments_are_valid(path: Path) -> None:
    assert load(path).name == path.stem


def test_factors_are_in_canonical_units() -> None:
    design = spec(
        design=factors(
            path1__capacity={"min": 500, "max": "0.1 Gbit/s", "unit": "kbit/s"},
            path1__delay={"min": 0, "max": "0.02 s", "step": "5 ms"},
            path1__queue={"min": 10, "max": 100},
            path2__delay=["1 ms", "0.01 s"],
            path2__loss={"values": [0, 1, "2 %"], "unit": "%"},
        )
    ).design
    assert design is not None
    capacity, delay, queue = design.spread.values()
    lists = design.crossed.values()
    assert capacity.ends == (0.5, 100.0)
    assert (delay.ends, delay.step, delay.levels) == ((0, 20), 5, 5)
    assert queue.integer and queue.levels == 91, "packets are whole"
    assert [each.values for each in lists] == [(1, 10), (0, 1, 2)]
    assert list(design.spread) == ["path1.capacity", "path1.delay", "path1.queue"]
    assert list(design.crossed) == ["path2.delay", "path2.loss"]


def test_defaults() -> None:
    small = loads(TEXT)
    assert (small.seed, small.repetitions.count, small.metrics) == (1, 1, ("goodput",))
    (entry,) = small.traffic
    assert isinstance(entry, part("iperf3", "keys").Traffic)
    assert (entry.parallel, entry.interval, entry.reverse) == (1, 1.0, False)
    assert (entry.read.mode, entry.read.wake_bytes) == ("coalesced", 16_384)
    assert small.port(0) == 5201


def test_ways_of_reading() -> None:
    def wake_bytes(read: object) -> int:
        entry = {"tool": "iperf3", "from": "client", "to": "server", "size": "1 MB"}
        (flow,) = spec(traffic=[{**entry, "read": read}]).traffic
        assert isinstance(flow, part("iperf3", "keys").Traffic)
        return int(flow.read.wake_bytes)

    assert wake_bytes("packet") == 1
    assert wake_bytes("coalesced") == 16_384
    assert wake_bytes({"size": "64 KiB"}) == 65_536
    assert wake_bytes({"mode": "packet"}) == 1
    assert wake_bytes("bulk") == 1 << 20
    assert wake_bytes({"mode": "bulk", "size": "64 KiB"}) == 65_536


@pytest.mark.parametrize("reverse", [False, True])
def test_ends_of_a_bulk_transfer_make_large_calls(reverse: bool) -> None:
    """Only a sender that need not end after a block writes ahead."""
    entry = {"tool": "iperf3", "from": "client", "to": "server", "reverse": reverse}
    for length, ahead in (({"duration": "1 s"}, ["--ahead"]), ({"size": "1 MB"}, [])):
        made = spec(traffic=[{**entry, **length, "read": "bulk"}])
        job = make_plan(made, {}).runs[0].job
        (own,) = job.traffic
        processes = part("iperf3", "processes").processes
        found = processes(0, own, job.transport, lambda host, path: host)
        argv = {each.role: [*each.argv] for each in found}
        receiver, sender = argv["server"], argv["client"]
        if reverse:
            receiver, sender = sender, receiver
        end = ["--end=1000000"] if reverse and not ahead else []
        at = receiver.index("mpbench-read") + 1
        words = ["--all", *end, "1048576", "iperf3"]
        assert receiver[at : at + len(words)] == words
        at = sender.index("mpbench-read")
        assert sender[at + 1 :][: len(ahead) + 2] == [*ahead, "0", "iperf3"]


def test_cannot_be_changed() -> None:
    with pytest.raises(pydantic.ValidationError):
        loads(TEXT).name = "other"


def test_digest_is_of_what_is_said_and_not_how() -> None:
    same = "# a comment\n" + TEXT.replace(
        "min: 1, max: 100, unit: Mbit/s", ("min: 1000 kbit/s, max: 0.1 Gbit/s")
    ).replace("30 s", "0.5 min")
    reordered = text()
    assert loads(TEXT).digest == loads(reordered).digest
    assert loads(TEXT).traffic == loads(same).traffic
    assert loads(TEXT).digest != spec(seed=2).digest
    assert loads(TEXT).digest == spec(seed=1).digest, "as the default"


def test_where() -> None:
    small = loads(TEXT, "f.yaml")
    assert small.where("design", "points") == "f.yaml:4"
    assert small.where("cases", "tcp2") == "f.yaml:11"
    assert small.text == TEXT


def test_a_design_may_be_absent() -> None:
    assert spec(design=None).design is None


def test_names_agree_with_the_rooms_that_know_them() -> None:
    assert (*wsp.METHODS, "grid") == vocabulary.DESIGN_METHODS
    assert vocabulary.CANDIDATE_SETS == wsp.CANDIDATE_SETS
    assert vocabulary.DISTANCES == wsp.METRICS
    assert vocabulary.BOUNDARIES == wsp.BOUNDARIES
    assert tools.NAMES == vocabulary.TOOLS
    for tool in tools.NAMES:
        assert issubclass(entries.model(tool), Entry)
        assert all(isinstance(key, Varied) for key in entries.varied(tool))
