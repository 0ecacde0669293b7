"""A copy of the code that runs in guests, with its byte code, for a root image.

The guest's own interpreter makes the byte code, in a guest. So the host needs no
Python of the same version, and the names of files in the byte code are those that a
guest sees: they are the same on every machine.
"""

import contextlib
import hashlib
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mpbench import carried
from mpbench import image as images
from mpbench.backends import boot, guest_code, roots
from mpbench.errors import UserError
from mpbench.image import Image
from mpbench.kernel import cache
from mpbench.kernel.lock import exclusive

BYTE_CODE = "code.pyc"
PROGRAM = f"{roots.CODE}/{BYTE_CODE}"
"""The byte code as a guest sees it."""
VIRTUAL_S = 60.0
DEADLINE_S = 120.0


def _silent(_words: str) -> None:
    """A guest makes the code in a few seconds; nobody is told to wait."""


def snapshot(kernel: Path, image: Image) -> Path:
    """The folder with the code; made once for each state of the code and each image.

    A hash of the folder stands beside it, and a folder that does not fit its hash is
    made again.

    kernel : boots the guest that makes the byte code
    Raises UserError if the folder cannot be written or the code does not compile.
    """
    text = f"{guest_code.guest_code_hash()} {image.sha256}"
    name = hashlib.sha256(text.encode()).hexdigest()[: guest_code.LENGTH]
    place = guest_code.folder() / name
    noted = guest_code.folder() / f"{name}.sha256"
    if _is_whole(place, noted):
        return place
    # Whoever waited here finds the folder whole. It must not be made again then: a
    # guest may run from it.
    with exclusive(place.parent, _silent), _worded(place.parent):
        if _is_whole(place, noted):
            return place
        with tempfile.TemporaryDirectory(prefix=".new-", dir=place.parent) as work:
            made = _brought(Path(work), name) or _make(Path(work), kernel, image)
            draft = Path(work) / "sha256"
            draft.write_text(_digest(made))
            if place.exists():
                place.rename(Path(work) / "old")
            made.rename(place)
            draft.rename(noted)
    return place


def _is_whole(place: Path, noted: Path) -> bool:
    return place.is_dir() and cache.noted(noted) == _digest(place)


@contextlib.contextmanager
def _worded(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"cannot keep the guest's code in {folder}: {error.strerror}; make "
            "it writable, or set XDG_CACHE_HOME"
        ) from error


def root_of(kernel: Path) -> roots.Root:
    """The root that the user asks for, with the present code.

    kernel : boots a guest that makes byte code of the code, if there is none yet
    Raises UserError if the image is not built.
    """
    if roots.kind() == roots.HOST:
        return roots.host()
    made = images.find()
    return roots.from_image(made, snapshot(kernel, made))


def _brought(work: Path, name: str) -> Path | None:
    """The code that came with an installed mpbench, unpacked, if it is this one."""
    packed = carried.built("code") / f"{name}.tar"
    try:
        content = packed.read_bytes()
        noted = packed.with_suffix(".sha256").read_text()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != noted:
        return None
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(work / "code")
    return work / "code"


def _make(work: Path, kernel: Path, image: Image) -> Path:
    code, run = work / "code", work / "run"
    run.mkdir()
    for path in guest_code.files():
        copy = code / path.relative_to(guest_code.SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    root = roots.from_image(image, code)
    script = f"{roots.CODE}/mpbench/guest/bundle.py"
    orders = boot.Orders((*boot.PYTHON, script, BYTE_CODE), VIRTUAL_S)
    boot.write(orders, run, root)
    try:
        done = subprocess.run(
            boot.LAB.command(kernel, None, root),
            cwd=run,
            env=boot.environment(0),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=DEADLINE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"a guest did not compile its code within {DEADLINE_S:.0f} s; "
            "`mpbench doctor` looks whether guests work here"
        ) from error
    made = run / BYTE_CODE
    if not made.is_file() or made.is_symlink():
        lines = done.stdout.decode(errors="replace").splitlines()
        told = [line for line in lines if not line.startswith("mpbench: t ")]
        words = " / ".join(told[-3:]) or f"exit status {done.returncode}"
        raise UserError(f"the guest's code does not compile in a guest: {words}")
    made.rename(code / BYTE_CODE)
    return code


def _digest(folder: Path) -> str:
    """Of the names and contents of all files."""
    total = hashlib.sha256()
    names = sorted(
        os.path.relpath(os.path.join(where, name), folder)  # noqa: PTH118
        for where, _, names in os.walk(folder)
        for name in names
    )
    for name in names:
        content = (folder / name).read_bytes()
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()
