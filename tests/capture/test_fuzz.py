"""Mutated captures, for a few seconds: nothing crashes, hangs or counts too much.

A million and more inputs of a coverage-guided fuzzer: fuzz/fuzz.py.
"""

import random
import subprocess
import sys
from pathlib import Path

from analysis.capture.analyse import EVENTS, Settings, analyse
from analysis.capture.frames import frames
from tests.capture.encapsulations import LINKS, TAGS, TUNNELS, in_frame, rewritten
from tests.capture.formats import as_pcapng
from tests.capture.kinds import KINDS, raw
from tests.capture.test_fragments import HOWS, capture, inner, packets

MUTATIONS = 150
SETTINGS = Settings(interval_s=0.01, memory_bytes=8 << 20, events=tuple(EVENTS))


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Bits flipped, stretches cut, doubled, swapped or filled."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 3, 10, 100))):
        at = chance.randrange(len(data))
        size = chance.choice((1, 2, 4, 8, 60))
        match chance.randrange(5):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at : at + size] = chance.randbytes(size)
            case 2 if len(data) > 200:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size]
            case _:
                data[at : at + size] = bytes([chance.choice((0, 255))]) * size
    return bytes(data)


def test_mutated_captures(tmp_path: Path) -> None:
    chance = random.Random(5)
    path = tmp_path / "mutated"
    seeds = [raw(kind, "client")[:20_000] for kind in KINDS]
    for count in range(MUTATIONS):
        content = chance.choice(seeds)
        path.write_bytes(mutated(chance.choice((bytes, as_pcapng))(content), chance))
        tables = analyse([path], settings=SETTINGS)
        assert tables.inputs["packets"][0] <= len(path.read_bytes()) / 16
        assert (tables.directions["packets"] >= 0).all()
        assert tables.directions["packets"].sum() <= tables.inputs["packets"][0]
        if count % 10 == 0:
            frames(tables)


def test_mutated_encapsulations(tmp_path: Path) -> None:
    """Link layers, tunnels and fragments."""
    chance = random.Random(8)
    path, seeds = tmp_path / "mutated", []
    carried = [*LINKS.values(), *((1, in_frame(i)) for i in (TUNNELS | TAGS).values())]
    for link, carry in carried:
        seeds.append(rewritten(path, link, carry).read_bytes()[:4000])
    for how in HOWS:
        made = [(at, inner(packet, how, n)) for n, at, packet in packets()]
        seeds.append(capture(path, iter(made[:12])).read_bytes())
    for seed in seeds:
        for _ in range(2):
            path.write_bytes(mutated(seed, chance))
            tables = analyse([path], settings=SETTINGS)
            row = tables.inputs[0]
            parts = [n for n in row.dtype.names if n.endswith("_packets")]
            counted = sum(row[n] for n in parts if n != "tunnelled_packets")
            counted += row["fragments"] + row["malformed"] + row["snapped"]
            joined = row["joined_fragments"] - row["reassembled"]
            assert counted + joined >= row["packets"]


def test_noise_after_a_head(tmp_path: Path) -> None:
    chance = random.Random(6)
    path = tmp_path / "noise"
    for head in (raw("two", "client")[:24], as_pcapng(raw("two", "client")[:24])):
        for _ in range(50):
            path.write_bytes(head + chance.randbytes(5000))
            analyse([path], [path], SETTINGS)


def test_hashes_are_seeded() -> None:
    """Else a file could choose its collisions, and be slow to read."""
    code = (
        "from analysis.capture.analyse import Settings; "
        "print(Settings().as_core().seed)"
    )
    seeds = {
        subprocess.run([sys.executable, "-c", code], capture_output=True).stdout
        for _ in range(2)
    }
    assert len(seeds) == 2
