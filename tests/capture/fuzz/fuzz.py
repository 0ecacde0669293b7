"""Fuzz the analyser: `python -m tests.capture.fuzz.fuzz [INPUTS]`, a million unless
said; needs clang with libFuzzer (Debian: clang, libclang-rt-14-dev).

Seeds are the captured kinds, their heads alone, so that an input is a few packets.
What crashes or hangs is left in the folder that is named at the end.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.capture.formats import as_pcapng
from tests.capture.kinds import ENDS, KINDS, raw

HERE = Path(__file__).parent
CORE = HERE.parents[2] / "analysis" / "capture" / "core"
LONGEST = 6000
FLAGS = ("-g", "-O1", "-std=gnu11", "-DBUFFER_BYTES=65536", "-DLONGEST=32768")


def build(target: Path) -> None:
    sources = sorted(str(path) for path in CORE.glob("*.c"))
    sanitizers = "-fsanitize=fuzzer,address,undefined,integer-divide-by-zero"
    argv = ["clang", *FLAGS, sanitizers, "-fno-sanitize-recover=all", f"-I{CORE}"]
    subprocess.run([*argv, str(HERE / "harness.c"), *sources, "-o", target], check=True)


def seeds(folder: Path) -> None:
    folder.mkdir()
    for kind in KINDS:
        for end in ENDS:
            whole = raw(kind, end)
            for number, capture in enumerate((whole, as_pcapng(whole))):
                for how in range(0, 8, 3):
                    name = f"{kind}-{end}-{number}-{how}"
                    (folder / name).write_bytes(bytes([how]) + capture[: LONGEST - 1])


def main(inputs: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="mpbench-fuzz-"))
    build(folder / "fuzz")
    seeds(folder / "seeds")
    (folder / "found").mkdir()
    argv = [str(folder / "fuzz"), f"-runs={inputs}", f"-max_len={LONGEST}"]
    argv += ["-timeout=60", "-rss_limit_mb=2048", "-print_final_stats=1"]
    argv += [f"-artifact_prefix={folder}/"]
    status = subprocess.run([*argv, folder / "found", folder / "seeds"]).returncode
    print(f"{folder}: exit status {status}")
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
