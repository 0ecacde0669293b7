"""Kernel images of the user's own for QEMU: read, refused, locked."""

import hashlib
import json
import lzma
import struct
from pathlib import Path

import pytest

from jobs.linux import Binary, Linux
from mpbench.backends.qemu import binaries, pins
from mpbench.errors import UserError
from mpbench.experiment_files import load, lock
from mpbench.plan import make_plan
from mpbench.plan.kernel_pairs import without_seeds
from tests.qemu.test_modules import module

TEXT = """\
name: own
topology: two_path
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
kernels:
  mine: {machine: qemu, image: build/bzImage}
cases:
  a: {protocol: mptcp, congestion_control: cubic, kernel: mine}
"""
WITH_MODULES = ("bzImage}", "bzImage, modules: build/lib}")


def bz_image(
    version: bytes = b"7.3.4-mine (me@here) #1 SMP",
    magic: bytes = b"HdrS",
    protocol: int = 0x20F,
    flags: int = 1,
    offset: int = 0x100,
) -> bytes:
    """The head of a kernel image for x86, as Linux's documentation describes it."""
    content = bytearray(0x400)
    content[0x202:0x206] = magic
    struct.pack_into("<H", content, 0x206, protocol)
    struct.pack_into("<H", content, 0x20E, offset)
    struct.pack_into("<H", content, 0x236, flags)
    content[0x300 : 0x300 + len(version)] = version
    return bytes(content)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment file, an image and a folder with modules; an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kernel = tmp_path / "build/lib/modules/7.3.4-mine/kernel"
    for name, needed in (("fs/erofs/erofs", "libcrc32c"), ("lib/libcrc32c", "")):
        (kernel / name).parent.mkdir(parents=True, exist_ok=True)
        (kernel / f"{name}.ko").write_bytes(module(needed))
    (kernel / "net").mkdir()
    (kernel / "net/veth.ko.xz").write_bytes(lzma.compress(module("")))
    (kernel / "net/odd.ko.zst").write_bytes(b"never read")
    (tmp_path / "build/bzImage").write_bytes(bz_image())
    (tmp_path / "e.yaml").write_text(TEXT)
    return tmp_path / "e.yaml"


def changed(file: Path, old: str, new: str) -> Path:
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    return file


def test_an_image_stands_for_its_version_and_hash(file: Path) -> None:
    spec = load(file)
    assert spec.in_qemu
    (run,) = make_plan(spec, {}).runs
    linux = run.job.linux
    assert linux is not None and linux.binary is not None
    assert linux.words == "Linux 7.3.4-mine of an image in QEMU"
    assert linux.binary.version == "7.3.4-mine"
    assert linux.binary.sha256 == hashlib.sha256(bz_image()).hexdigest()
    assert linux.binary.modules is None
    found = binaries.find(linux)
    assert found.kernel.read_bytes() == bz_image()
    assert list(found.modules.iterdir()) == []
    # Results need the file no more.
    (file.parent / "build/bzImage").unlink()
    stored = file.with_name("stored.yaml")
    stored.write_text(spec.text)
    assert load(stored, of_results=True).digest == spec.digest
    assert binaries.find(linux) == found


def test_modules_that_a_run_may_need_are_taken(file: Path) -> None:
    spec = load(changed(file, *WITH_MODULES))
    linux = make_plan(spec, {}).runs[0].job.linux
    assert linux is not None and linux.binary is not None
    first = linux.binary.modules
    folder = binaries.find(linux).modules
    assert sorted(p.name for p in folder.iterdir()) == [
        "erofs.ko",
        "libcrc32c.ko",
        "veth.ko",
    ]
    assert (folder / "veth.ko").read_bytes() == module("")
    own = file.parent / "build/lib/modules/7.3.4-mine/kernel/lib/libcrc32c.ko"
    own.write_bytes(module("") + b"more")
    again = make_plan(load(file), {}).runs[0].job.linux
    assert again is not None and again.binary is not None
    assert again.binary.modules not in (None, first)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no kernel image for x86-64; arch/x86/boot/bzImage of"),
        (b"\x7fELF" + bytes(0x400), "no kernel image for x86-64; arch/x86"),
        (bz_image()[:0x267], "no kernel image for x86-64"),
        (bz_image(magic=b"HdrT"), "no kernel image for x86-64"),
        (bz_image(protocol=0x20B), "a kernel image, but not for x86-64"),
        (bz_image(flags=2), "a kernel image, but not for x86-64"),
        (bz_image(offset=0), "does not say its version"),
        (bz_image(version=b""), "does not say its version"),
        (bz_image(version=b"seven"), "the version of a kernel image"),
    ],
)
def test_what_is_no_kernel_is_refused_with_its_line(
    file: Path, content: bytes, reason: str
) -> None:
    (file.parent / "build/bzImage").write_bytes(content)
    words = rf"e\.yaml:5: kernels\.mine\.image: build/bzImage: .*{reason}"
    with pytest.raises(UserError, match=words) as told:
        load(file)
    assert "\n" not in str(told.value)
    assert not list(binaries.folder().glob("[0-9a-f]*"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("build/bzImage", "build/other", r":5: kernels\.mine\.image: .*no such file"),
        ("build/bzImage", "build", r":5: kernels\.mine\.image: build: is no file"),
        ("qemu, image: build/bzImage", "qemu, modules: x", r"\.modules: .*add 'image'"),
        ("machine: qemu, ", "", r":5: kernels\.mine\.image: only 'machine: qemu'"),
        ("bzImage}", "bzImage, linux: '7.3'}", r"\.linux: the image says already"),
        ("bzImage}", "bzImage, lab: none}", r"\.lab: .*take it away"),
        ("bzImage}", "bzImage, patches: [e.yaml]}", r"\.patches: .*take it away"),
        ("bzImage}", "bzImage, modules: none}", r":5: kernels\.mine\.image: .*no such"),
        ("bzImage}", "bzImage, modules: cache}", r"\.image: .*no modules below it"),
    ],
)
def test_what_does_not_go_with_an_image_is_refused_with_its_line(
    file: Path, old: str, new: str, words: str
) -> None:
    (file.parent / "cache").mkdir(exist_ok=True)
    with pytest.raises(UserError, match=words):
        load(changed(file, old, new))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("net/veth.ko.zst", b"x", "veth twice"),
        ("net/dummy.ko.zst", b"x", "packed in a way that is not known here"),
        ("net/dummy.ko.xz", b"x", r"net/dummy\.ko\.xz: "),
        ("net/dummy.ko.gz", b"x", r"net/dummy\.ko\.gz: "),
        ("net/dummy.ko", b"x", "no module of Linux"),
    ],
)
def test_modules_that_are_none_are_refused(
    file: Path, name: str, content: bytes, reason: str
) -> None:
    place = file.parent / "build/lib/modules/7.3.4-mine/kernel" / name
    place.write_bytes(content)
    words = rf"e\.yaml:5: kernels\.mine\.image: build/bzImage: .*{reason}"
    with pytest.raises(UserError, match=words):
        load(changed(file, *WITH_MODULES))


def test_an_image_that_is_too_large_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "MOST_BYTES", len(bz_image()))
    load(file)
    monkeypatch.setattr(binaries, "MOST_BYTES", len(bz_image()) - 1)
    with pytest.raises(UserError, match="larger than"):
        load(file)


def test_a_lock_holds_an_image(file: Path) -> None:
    path = lock(file)
    assert path.read_text().count(hashlib.sha256(bz_image()).hexdigest()) == 1
    assert load(file).in_qemu
    (file.parent / "build/bzImage").write_bytes(bz_image(b"7.3.5-mine"))
    words = (
        r"e\.yaml:5: kernels\.mine\.image: Linux 7\.3\.5-mine with SHA-256"
        r" [0-9a-f]{12}, and e\.yaml\.lock has Linux 7\.3\.4-mine with [0-9a-f]{12};"
        r" `mpbench kernel lock .*e\.yaml` takes it"
    )
    with pytest.raises(UserError, match=words):
        load(file)
    lock(file)
    assert load(file).kernels["mine"].binary is not None


def test_one_image_under_two_labels_is_refused(file: Path) -> None:
    more = "  twin: {machine: qemu, image: ./build/bzImage}\ncases:"
    changed(file, "cases:", more)
    with pytest.raises(
        UserError, match=r":6: kernels\.twin: the same kernel as 'mine'"
    ):
        load(file)


def test_an_image_that_the_cache_does_not_have(file: Path) -> None:
    spec = load(file)
    linux = make_plan(spec, {}).runs[0].job.linux
    assert linux is not None
    (place,) = binaries.folder().glob("[0-9a-f]*")
    assert place not in pins.unneeded(everything=False)
    assert place in pins.unneeded(everything=True)
    (place / "info.json").write_text("{}")
    with pytest.raises(UserError, match=r"is not in the cache; `mpbench plan`"):
        binaries.find(linux)
    load(file)
    assert (
        binaries.find(linux).sha256
        == json.loads((place / "info.json").read_text())["sha256"]
    )


def test_an_old_image_takes_no_seeds_of_links(file: Path) -> None:
    assert without_seeds(load(file)) == []
    for version, old in ((b"6.6.9", ["mine"]), (b"6.7.0-rc1", [])):
        (file.parent / "build/bzImage").write_bytes(bz_image(version))
        assert without_seeds(load(file)) == old


def test_images_and_packages_have_keys_of_their_own() -> None:
    a = {"version": "7.3.4", "sha256": "ab" * 32}
    found = {
        binaries.key(Linux(lab=False, binary=Binary(**more)))
        for more in (a, a | {"modules": "cd" * 32}, a | {"sha256": "cd" * 32})
    }
    assert len(found) == 3
