"""Kernels with controllers and schedulers of users, linked in a second.

A linked kernel is the cached one with some objects more. It lies in the cache, named by
a hash of that kernel and of the texts, with its own hash beside it.
"""

import hashlib
import json
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.kernel import cache, kit
from mpbench.kernel.cache import Kernel

COLUMNS = "-ftrack-macro-expansion=2"
"""GCC's default, which a kernel's build turns off: messages name the line and the
column of a user's own words, not those of the macro around them."""
FOLDER = "net/mptcp/own"
"""Where the texts lie in the tree: beside mpbench's, whose headers they include."""
COMPILE_S = 120
MOST_REASON = 300
_REASON = re.compile(r"^(\S+\.[ch]):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.M)
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'|multiple definition of .*")


def image(kernel: Kernel, texts: Mapping[str, str], may_compile: bool) -> Path:
    """The kernel with the controllers of these texts; itself if there are none.

    texts : text in C by name
    may_compile : whether compiling them is allowed, if the cache has no such kernel

    Raises UserError, one line, for texts that do not compile or link.
    """
    if not texts:
        return kernel.path
    file = cache.root() / "linked" / _key(kernel, texts)
    noted = file.with_suffix(".sha256")
    if file.exists() and noted.exists() and noted.read_text() == _digest(file):
        return file
    if not may_compile:
        names = ", ".join(sorted(texts))
        raise UserError(
            f"{names}: code in C that the results bring, and that no experiment of"
            " yours has used; --trust-plugins lets gcc compile it"
        )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=file.parent) as folder:
            made = _link(kernel, texts, Path(folder))
            digest = _digest(made)
            made.replace(file)
            noted.write_text(digest)
    except OSError as error:
        raise UserError(
            f"cannot keep kernels in {file.parent}: {error.strerror}; make it"
            " writable, or set XDG_CACHE_HOME"
        ) from error
    return file


def of_job(kernel: Kernel, job: Mapping[str, Any], may_compile: bool) -> Path:
    """The kernel that a job needs; see `image`."""
    own = job.get("kernel") or {}
    texts = {name: each["code"] for name, each in own.items()}
    return image(kernel, texts, may_compile)


def check(kernel: Kernel, name: str, text: str, path: str) -> None:
    """Compile and link a user's file, as a run would.

    path : of the file, for messages

    Raises UserError, `file:line:column: reason`, in gcc's own words.
    """
    try:
        image(kernel, {name: text}, may_compile=True)
    except UserError as error:
        words = str(error)
        own = words.replace(f"{name}.c:", f"{path}:", 1)
        raise UserError(own if own != words else f"{path}: {words}") from None


def _key(kernel: Kernel, texts: Mapping[str, str]) -> str:
    content = json.dumps([kernel.info["linux_hash"], sorted(texts.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _link(kernel: Kernel, texts: Mapping[str, str], folder: Path) -> Path:
    archive = kernel.folder / kit.NAME
    if not archive.is_file():
        raise UserError(
            "the guest kernel was built without what controllers of one's own need;"
            " `mpbench kernel build` adds it"
        )
    with tarfile.open(archive) as packed:
        packed.extractall(folder)
    orders = json.loads((folder / kit.ORDERS).read_text())
    objects = next(folder.rglob(kit.OBJECTS)).parent
    (folder / FOLDER).mkdir(parents=True)
    made = []
    for name, text in sorted(texts.items()):
        (folder / FOLDER / f"{name}.c").write_text(text)
        made.append(_compile(orders["compile"], name, objects))
    _run(
        [*orders["link"], "-o", "whole", *kit.inputs(kit.OBJECTS, tuple(made))], objects
    )
    # What scripts/Makefile.vmlinux does, and building.py.
    _run(["objcopy", "--set-section-flags", ".modinfo=noload", "whole"], objects)
    device = "--strip-unneeded-symbol=__mod_device_table__*"
    _run(["objcopy", "--remove-section=.modinfo", "-w", device, "whole"], objects)
    _run(["strip", "--strip-debug", "-o", "linux", "whole"], objects)
    return objects / "linux"


def _compile(words: Sequence[str], name: str, objects: Path) -> str:
    target = f"{name}.own.o"
    source = f"../{FOLDER}/{name}.c"
    base = f'-DKBUILD_BASENAME="{name}"'
    mod = f'-DKBUILD_MODFILE="{FOLDER}/{name}"'
    files = ["-c", "-o", target, source]
    _run([*words[:-1], COLUMNS, "-I../net/mptcp", base, mod, *files], objects)
    return target


def _run(words: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMPILE_S,
        )
    except FileNotFoundError as error:
        raise UserError(f"controllers need {words[0]} (Debian package gcc)") from error
    except subprocess.TimeoutExpired as error:
        raise UserError(f"not compiled after {COMPILE_S} s; simplify it") from error
    if done.returncode:
        raise UserError(_reason(done.stderr))


def _reason(said: str) -> str:
    """The first error of gcc or ld in one line: `NAME.c:LINE:COLUMN: reason`."""
    found = _REASON.search(said)
    if found:
        file, line, column, words = found.groups()
        name = file.rpartition(f"{FOLDER}/")[2]
        place = f"{name}:{line}:{column}" if column else f"{name}:{line}"
        return f"{place}: {words}"[:MOST_REASON]
    missing = _UNDEFINED.search(said)
    if missing:
        hint = f"no function '{missing[1]}' in the kernel" if missing[1] else missing[0]
        return hint[:MOST_REASON]
    lines = [line for line in said.splitlines() if line.strip()] or ["gcc says nothing"]
    return lines[-1][:MOST_REASON]


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
