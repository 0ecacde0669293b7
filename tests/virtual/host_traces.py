"""Looks for traces of the host that a guest can see; standard library only.

`main` writes `artefacts/traces.json`. Two executions of one run should give the same.
"""

import ctypes
import json
import mmap
import os
import time
from pathlib import Path

RETURN_TSC = b"\x48\xc1\xe2\x20\x48\x09\xd0\xc3"
"""rax = rdx << 32 | rax, and return."""
INSTRUCTIONS = {
    "rdtsc": b"\x0f\x31" + RETURN_TSC,
    "rdtscp": b"\x0f\x01\xf9" + RETURN_TSC,
    "rdrand": b"\x48\x0f\xc7\xf0\xc3",
    "rdseed": b"\x48\x0f\xc7\xf8\xc3",
    # rbx is the caller's; leaf 1, whose ebx holds the number of the CPU
    "cpuid": b"\x53\xb8\x01\x00\x00\x00\x31\xc9\x0f\xa2\x89\xd8\x5b\xc3",
}
PLACES = ("/", "/usr", "/usr/bin/python3", "/run", "/run/code", "/run/tools", "/proc")
FILES = ("cmdline", "cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "stat")


def call(code: bytes) -> int:
    """Execute machine code; what it returns."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return int(ctypes.CFUNCTYPE(ctypes.c_uint64)(address)())


def about(path: str) -> dict[str, object]:
    """A file's dates, number and size."""
    status = Path(path).stat()
    names = ("st_atime_ns", "st_mtime_ns", "st_ctime_ns", "st_ino", "st_dev", "st_uid")
    return {name: getattr(status, name) for name in (*names, "st_size", "st_blocks")}


def main(skipped: list[str]) -> None:
    """skipped : instructions that are not executed"""
    found: dict[str, object] = {}
    for name, code in INSTRUCTIONS.items():
        if name not in skipped:
            found[name] = call(code)
    found["random"] = os.getrandom(8).hex()
    found["clock"] = [time.time_ns(), time.monotonic_ns(), time.process_time_ns()]
    for place in (*PLACES, ".", "job.json"):
        for key, value in about(place).items():
            found[f"{place} {key}"] = value
    for number in range(20):
        Path(f"artefacts/file{number}").touch()
    found["listed"] = [path.name for path in Path("artefacts").iterdir()]
    made = about("artefacts/file0")
    found.update({f"made {key}": value for key, value in made.items()})
    for place in ("/", "."):
        space = os.statvfs(place)
        found[f"{place} space"] = [space.f_bfree, space.f_ffree]
    for name in FILES:
        found[f"/proc/{name}"] = Path("/proc", name).read_text()
    for name in ("auxv", "environ", "maps", "mountinfo", "stat", "limits"):
        found[f"/proc/self/{name}"] = Path("/proc/self", name).read_bytes().hex()
    found["uname"] = list(os.uname())
    Path("artefacts/traces.json").write_text(json.dumps(found))
