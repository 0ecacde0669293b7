"""The execution of a run in a machine of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jobs import Job
from mpbench import guest_memory
from mpbench.backends import (
    boot,
    guest_snapshot,
    prepared,
    read_tools,
    roots,
    watching,
)
from mpbench.backends.base import Exit
from mpbench.backends.qemu import binaries, initramfs, serial
from mpbench.backends.qemu.machine import SERIAL, Machine, version
from mpbench.backends.watching import Watched
from mpbench.image import Image
from mpbench.store import scratch

NATIVE = {"MPBENCH_LAB": "no"}
"""The guest code does as on a machine, whose kernel has nothing of the lab's."""


def execute(
    job: Job,
    run: Watched,
    cpu: int | None,
    image: Image,
    code: Path,
    argv: Sequence[str] | None = None,
) -> Exit:
    """Execute a job in a machine with the kernel that the job names.

    image : the root image
    code : the folder with mpbench's code and its byte code
    argv : what the machine runs instead of the guest code

    Raises UserError if QEMU is missing, or the kernel cannot be had.
    """
    assert job.linux is not None
    binary = binaries.find(job.linux)
    shared = initramfs.of_kernel(binary, image, code)
    machine = Machine(job.memory_mib if job.guest else guest_memory.USUAL_MIB)
    words = argv or boot.bundled(guest_snapshot.PROGRAM)
    orders = boot.Orders(words, run.bounds.virtual_s, NATIVE)
    boot.write(orders, run.directory, roots.from_image(image, code))
    prepared.prepare(job, run.directory)
    with scratch.folder("machine") as place:
        archive = place / "initramfs.cpio"
        initramfs.of_run(shared, run.directory, archive)
        command = machine.command(binary.kernel, archive, job.seed, cpu, run.limits)

        def collect() -> str:
            return received(run)

        environment = {"PATH": boot.environment(0)["PATH"]}
        memory_mib = machine.memory_mib
        return watching.execute(command, environment, run, memory_mib, collect)


def identity() -> str:
    """Everything of a machine beside kernel, image, code and job that its outcome
    depends on: QEMU's version, its options, and a hash of the machine's programs.

    Raises UserError if QEMU is missing.
    """
    tools = read_tools.content_hash(products=initramfs.TOOLS)
    options = " ".join(Machine().options())
    return f"{version()} {options} {initramfs.METHOD} {tools}"


def provenance() -> dict[str, Any]:
    """Facts about QEMU for readers of the results, for JSON."""
    return {"version": version(), "options": list(Machine().options())}


def received(run: Watched) -> str:
    """Take the files of a run out of what the machine sent; words for what is wrong."""
    sent = run.directory / SERIAL
    artefacts = run.directory / "artefacts"
    try:
        with sent.open("rb") as stream:
            limits = run.limits
            serial.receive(stream, artefacts, limits.files, limits.folder_bytes)
    except (serial.StreamError, OSError) as error:
        return f"the files that the machine sent are not whole: {error}"
    finally:
        sent.unlink(missing_ok=True)
    return ""
