"""Fuzz the analyser: `python -m tests.capture.fuzz.fuzz [INPUTS]`.

With clang and libFuzzer (Debian: clang, libclang-rt-14-dev) a million inputs are tried
unless said, guided by coverage. Without them gcc builds the analyser with the same
sanitizers, and the inputs are seeds with random changes.

Seeds are the captured kinds, their heads alone, so that an input is a few packets.
The folder that is named at the end has the inputs that crash or hang.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.capture.encapsulations import LINKS, TAGS, TUNNELS, in_frame, rewritten
from tests.capture.formats import as_pcapng
from tests.capture.kinds import ENDS, KINDS, raw
from tests.capture.test_fragments import HOWS, capture, inner, packets
from tests.capture.test_fuzz import mutated

HERE = Path(__file__).parent
CORE = HERE.parents[2] / "analysis" / "capture" / "core"
LONGEST = 6000
FLAGS = (
    "-g",
    "-O1",
    "-std=gnu11",
    "-DBUFFER_BYTES=65536",
    "-DLONGEST=32768",
    "-DFEW_CONNECTIONS=2",
)
BATCH = 200
"""Inputs of one process."""


def build(target: Path, compiler: str) -> None:
    sources = [str(HERE / "harness.c"), *sorted(str(path) for path in CORE.glob("*.c"))]
    sanitizers = "address,undefined,integer-divide-by-zero"
    if compiler == "clang":
        flags = [*FLAGS, f"-fsanitize=fuzzer,{sanitizers}"]
    else:
        flags = [*FLAGS, f"-fsanitize={sanitizers}", "-DSTANDALONE"]
    argv = [compiler, *flags, "-fno-sanitize-recover=all", f"-I{CORE}"]
    subprocess.run([*argv, *sources, "-o", str(target)], check=True)


def seeds(folder: Path) -> None:
    folder.mkdir()
    for kind in KINDS:
        for end in ENDS:
            whole = raw(kind, end)
            for number, content in enumerate((whole, as_pcapng(whole))):
                for how in range(0, 16, 3):
                    name = f"{kind}-{end}-{number}-{how}"
                    (folder / name).write_bytes(bytes([how]) + content[: LONGEST - 1])
    encapsulated(folder)


def encapsulated(folder: Path) -> None:
    """The head of a capture in each link layer and tunnel, and as fragments."""
    carried = list(LINKS.values())
    carried += [(1, in_frame(inside)) for inside in (TUNNELS | TAGS).values()]
    for number, (link, carry) in enumerate(carried):
        path = rewritten(folder / f"carried-{number}", link, carry)
        path.write_bytes(b"\0" + path.read_bytes()[: LONGEST // 2])
    for number, how in enumerate(HOWS):
        made = [(at, inner(packet, how, n)) for n, at, packet in packets()]
        path = capture(folder / f"fragments-{number}", iter(made[:12]))
        path.write_bytes(b"\0" + path.read_bytes()[: LONGEST - 1])


def guided(folder: Path, inputs: int) -> int:
    """By libFuzzer; returns its exit status."""
    (folder / "found").mkdir()
    argv = [str(folder / "fuzz"), f"-runs={inputs}", f"-max_len={LONGEST}"]
    argv += ["-timeout=60", "-rss_limit_mb=2048", "-print_final_stats=1"]
    argv += [f"-artifact_prefix={folder}/"]
    return subprocess.run([*argv, folder / "found", folder / "seeds"]).returncode


def changed_at_random(folder: Path, inputs: int) -> int:
    """Returns the exit status of the first batch that fails, 0 if none does."""
    chance = random.Random(7)
    originals = [path.read_bytes() for path in sorted((folder / "seeds").iterdir())]
    for first in range(0, inputs, BATCH):
        names = [folder / f"input-{number}" for number in range(BATCH)]
        for name in names:
            name.write_bytes(mutated(chance.choice(originals), chance))
        argv = [str(folder / "fuzz"), *map(str, names)]
        status = subprocess.run(argv, timeout=600).returncode
        if status:
            print(f"inputs {first} to {first + BATCH - 1}")
            return status
    return 0


def main(inputs: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="mpbench-fuzz-"))
    compiler = "clang" if shutil.which("clang") else "gcc"
    build(folder / "fuzz", compiler)
    seeds(folder / "seeds")
    run = guided if compiler == "clang" else changed_at_random
    status = run(folder, inputs)
    print(f"{folder}: exit status {status}")
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
