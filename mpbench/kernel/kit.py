"""The parts that add a controller to a finished kernel: objects, headers, commands.

The kernel has no loadable modules: it is linked again, in a tenth of a second. So a
kernel's folder keeps its objects, and the headers that they were compiled with, in one
archive. The archive is kept only if linking it gives the kernel again, byte for byte.
"""

import gzip
import io
import json
import re
import shlex
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from mpbench.kernel.shell import Shell

NAME = "kit.tar.gz"
OBJECTS = "vmlinux.a"
ORDERS = "orders.json"
MODEL = "net/mptcp/.lia.o.cmd"
"""A controller of mpbench's, whose flags others get."""
FOLDERS = ("net/mptcp", "net/ipv4", "net/core", "net/sched", "kernel", "lib", "mm")
"""Folders whose headers controllers can use: all that these objects needed."""
EXTRA = (".vmlinux.export.o", "init/version-timestamp.o")
OPTIONS = "include/generated/autoconf.h"
"""A header that no list of dependencies names."""
SCRIPT = "arch/um/kernel/vmlinux.lds"
WRAPPED = ("malloc", "free", "calloc")
LIBRARIES = ("-lutil", "-lrt", "-lpthread")
_HEADER = re.compile(r"^ +([^ $\\]+\.h)", re.MULTILINE)
_SAVED = re.compile(r"^savedcmd_\S+ := (.*)$", re.MULTILINE)


def pack(shell: Shell, tree: Path, objects: Path, target: Path) -> bool:
    """Write the archive of a kernel that was just built.

    tree, objects : the work tree, and the folder of objects below it

    Returns whether it gives that kernel; if not, no archive is left.
    """
    if not (objects / OBJECTS).is_file():
        return False
    link = link_words((objects / ".config").read_text())
    again = target.with_suffix(".try")
    whole = objects / "kit.a"
    whole.unlink(missing_ok=True)
    listed = shell.run(["ar", "t", OBJECTS], cwd=objects)
    names = objects / "kit.txt"
    names.write_text(listed)
    shell.run(["ar", "qc", whole.name, f"@{names.name}"], cwd=objects)
    shell.run([*link, "-o", str(again), *inputs(whole.name)], cwd=objects)
    same = again.read_bytes() == (objects / "vmlinux.unstripped").read_bytes()
    again.unlink()
    if not same:
        return False
    orders = json.dumps({"compile": compile_words(objects), "link": link})
    place = objects.relative_to(tree).as_posix()
    members = {ORDERS: orders.encode(), f"{place}/{OBJECTS}": whole.read_bytes()}
    for name in (*EXTRA, SCRIPT, OPTIONS):
        members[f"{place}/{name}"] = (objects / name).read_bytes()
    for name in sorted(set(_headers(tree, objects))):
        members.setdefault(name, (tree / name).read_bytes())
    write(target, members)
    whole.unlink()
    return True


def link_words(config: str) -> list[str]:
    """The command that links a kernel (scripts/link-vmlinux.sh, arch/um/Makefile)."""
    static = "\nCONFIG_LD_SCRIPT_STATIC=y\n" in config
    rpath = "\nCONFIG_LD_SCRIPT_DYN_RPATH=y\n" in config
    return [
        *("gcc", "-static" if static else "-no-pie"),
        *(["-Wl,-rpath,/lib", "-Wl,-rpath,/lib64"] if rpath else []),
        "-m64",
        *(f"-Wl,--wrap,{name}" for name in WRAPPED),
        *("-Wl,-m", "-Wl,elf_x86_64", "-Wl,-z", "-Wl,noexecstack"),
        *("-Wl,--no-warn-rwx-segments", f"-Wl,--script=./{SCRIPT}"),
    ]


def inputs(archive: str, more: tuple[str, ...] = ()) -> list[str]:
    """The end of the command: all objects, in their order.

    more : the objects of further controllers
    """
    return [
        "-Wl,--whole-archive",
        *(archive, *EXTRA, *more),
        "-Wl,--no-whole-archive",
        *LIBRARIES,
    ]


def compile_words(objects: Path) -> list[str]:
    """The command that compiles a controller, without its files and its name."""
    saved = _SAVED.search((objects / MODEL).read_text())
    assert saved is not None
    words = shlex.split(saved[1])
    own = ("-Wp,-MMD", "-DKBUILD_", "-D__KBUILD_", "-fprofile-", "-Wno-missing-profile")
    kept = [word for word in words[: words.index("-c")] if not word.startswith(own)]
    return [*kept, '-DKBUILD_MODNAME="mptcp"', "-D__KBUILD_MODNAME=mptcp", "-c"]


def _headers(tree: Path, objects: Path) -> Iterator[str]:
    """The headers by their path from the tree."""
    found: set[str] = set()
    for folder in FOLDERS:
        for file in (objects / folder).rglob(".*.o.cmd"):
            found.update(_HEADER.findall(file.read_text()))
    root = tree.resolve()
    for name in sorted(found):
        path = (objects / name).resolve()
        if path.is_relative_to(root) and path.is_file():
            yield path.relative_to(root).as_posix()
    for file in (tree / "net/mptcp").glob("*.h"):
        yield file.relative_to(tree).as_posix()


def write(target: Path, members: Mapping[str, bytes]) -> None:
    """Write an archive; nothing but names and contents enters it, and no time."""
    with (
        target.open("wb") as file,
        # gzip would note the file's name and the time in its first bytes.
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
