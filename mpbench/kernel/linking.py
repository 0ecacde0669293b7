"""Kernels with controllers and schedulers of users, linked in a second.

A linked kernel is the cached one with some objects more. It lies in the cache, named by
a hash of that kernel and of the texts, with its own hash beside it. The texts are read
by nothing but the guest's kernel and a compiler behind barriers (confined_gcc.py).
"""

import gzip
import hashlib
import json
import re
import tarfile
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from jobs import Job
from mpbench.errors import UserError
from mpbench.kernel import cache, confined, confined_gcc, kit
from mpbench.kernel.cache import Kernel

COLUMNS = "-ftrack-macro-expansion=2"
"""GCC's default, which a kernel's build turns off: messages name the line and the
column of a user's own words, not those of the macro around them."""
FOLDER = "net/mptcp/own"
"""Folder of the texts in the tree: beside mpbench's, whose headers they include."""
FIRST = "-Wfatal-errors"
"""The first error is all that a message quotes; a file could make gcc say millions."""
MOST_REASON = 300
DAMAGE = (
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    StopIteration,
)
"""Errors of an archive that was cut short or changed."""
_REASON = re.compile(r"^(\S+\.[ch]):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.M)
_USE = re.compile(r"^(\S+\.[ch]):(\d+):(\d+): note: in expansion of macro", re.M)
_ASSERTED = re.compile(r"^call to '__compiletime_assert_\d+' declared .*?: (.*)$")
STATE = "sched_state)"
"""The end of the condition that a state of a scheduler is too large."""
_ASSEMBLY = re.compile(r"^\S+\.s:\d+: Error: (.*)$", re.M)
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'|multiple definition of .*")


def image(
    kernel: Kernel,
    texts: Mapping[str, str],
    may_compile: bool,
    trusted: bool = False,
) -> Path:
    """The kernel with the controllers of these texts; itself if there are none.

    texts : text in C by name
    may_compile : whether compiling them is allowed, if the cache has no such kernel
    trusted : whether that is allowed even where nothing confines the compiler

    Raises UserError, one line, for texts that do not compile or link, or may not.
    """
    if not texts:
        return kernel.path
    file = cache.root() / "linked" / _key(kernel, texts)
    noted = file.with_suffix(".sha256")
    if file.is_file() and cache.noted(noted) == _digest(file):
        return file
    names = ", ".join(sorted(texts))
    if not may_compile:
        raise UserError(
            f"{names}: code in C that the results bring, and that no experiment of"
            " yours has used; --trust-plugins lets gcc compile it"
        )
    confined.require(names, trusted)
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


def of_job(kernel: Kernel, job: Job, may_compile: bool, trusted: bool = False) -> Path:
    """The kernel that a job needs; see `image`."""
    own = job.kernel or {}
    texts = {name: each.code for name, each in own.items()}
    return image(kernel, texts, may_compile, trusted)


def check(
    kernel: Kernel, name: str, text: str, path: str, trusted: bool = False
) -> None:
    """Compile and link a user's file, as a run would.

    path : of the file, for messages
    trusted : see `image`

    Raises UserError, `file:line:column: reason`, in gcc's own words.
    """
    try:
        image(kernel, {name: text}, True, trusted)
    except UserError as error:
        words = str(error)
        own = words.replace(f"{name}.c:", f"{path}:", 1)
        own = own.removeprefix(f"{name}: ") if own == words else own
        raise UserError(own if own.startswith(path) else f"{path}: {own}") from None


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
    try:
        with tarfile.open(archive) as packed:
            packed.extractall(folder)
        orders = json.loads((folder / kit.ORDERS).read_text())
        objects = next(folder.rglob(kit.OBJECTS)).parent
        words = [*orders["compile"], *orders["link"]]
        if not all(isinstance(word, str) for word in words):
            raise TypeError("no words of a command")
    except DAMAGE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"{archive}: damaged ({reason}); `mpbench kernel build --force` makes it"
            " again"
        ) from error
    (folder / FOLDER).mkdir(parents=True)
    made = []
    for name, text in sorted(texts.items()):
        (folder / FOLDER / f"{name}.c").write_text(text)
        made.append(_compile(orders["compile"], name, folder, objects))
    linked = [*orders["link"], "-o", "whole"]
    _run([*linked, *kit.inputs(kit.OBJECTS, tuple(made))], folder, objects)
    # What scripts/Makefile.vmlinux does, and building.py.
    flags = ("--set-section-flags", ".modinfo=noload")
    _run(["objcopy", *flags, "whole", "flagged"], folder, objects)
    device = "--strip-unneeded-symbol=__mod_device_table__*"
    more = ("--remove-section=.modinfo", "-w", device)
    _run(["objcopy", *more, "flagged", "removed"], folder, objects)
    _run(["strip", "--strip-debug", "-o", "linux", "removed"], folder, objects)
    image = objects / "linux"
    if image.is_symlink() or not image.is_file():
        raise UserError("the linker left no kernel")
    image.chmod(0o755)  # the linker may not
    return image


def _compile(words: Sequence[str], name: str, folder: Path, objects: Path) -> str:
    target = f"{name}.own.o"
    source = f"../{FOLDER}/{name}.c"
    base = f'-DKBUILD_BASENAME="{name}"'
    mod = f'-DKBUILD_MODFILE="{FOLDER}/{name}"'
    files = ["-c", "-o", target, source]
    own = [COLUMNS, FIRST, "-I../net/mptcp", base, mod]
    _run([*words[:-1], *own, *files], folder, objects)
    return target


def _run(words: Sequence[str], folder: Path, objects: Path) -> None:
    try:
        confined_gcc.run(words, folder, objects)
    except confined_gcc.Failed as failed:
        raise UserError(reason(str(failed))) from None


def reason(said: str) -> str:
    """The first error of gcc or ld in one line: `NAME.c:LINE:COLUMN: reason`."""
    found = _REASON.search(said)
    if found:
        file, line, column, words = found.groups()
        if asserted := _ASSERTED.match(words):
            words = asserted[1]
            uses = [use for use in _USE.findall(said) if FOLDER in use[0]]
            if uses:  # a macro of Linux failed there, where it was used
                file, line, column = uses[-1]
            if words.endswith(STATE):
                words += "; a scheduler has 64 bytes of state there, so keep less"
        name = file.rpartition(f"{FOLDER}/")[2]
        place = f"{name}:{line}:{column}" if column else f"{name}:{line}"
        return f"{place}: {words}"[:MOST_REASON]
    assembly = _ASSEMBLY.search(said)
    if assembly:
        return f"in assembly: {assembly[1]}"[:MOST_REASON]
    missing = _UNDEFINED.search(said)
    if missing:
        hint = f"no function '{missing[1]}' in the kernel" if missing[1] else missing[0]
        return hint[:MOST_REASON]
    lines = [line for line in said.splitlines() if line.strip()] or ["gcc says nothing"]
    return lines[-1][:MOST_REASON]


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
