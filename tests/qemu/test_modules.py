"""The order of modules, read from modules that the test makes itself."""

import struct
from pathlib import Path

import pytest

from mpbench.backends.qemu import modules
from mpbench.errors import UserError


def module(depends: str, name: bytes = b".modinfo") -> bytes:
    """An ELF file with one section of text and its names, as gcc lays them out."""
    text = b"license=GPL\0depends=" + depends.encode() + b"\0name=x\0"
    names = b"\0.shstrtab\0" + name + b"\0"
    body = text + names
    start = 64 + len(body)
    head = modules.HEADER.pack(
        b"\x7fELF\x02\x01\x01", 1, 62, 1, 0, 0, start, 0, 64, 0, 0, 64, 3, 1
    )
    sections = [
        (0,) * 10,
        (1, 3, 0, 0, 64 + len(text), len(names), 0, 0, 1, 0),
        (11, 1, 0, 0, 64, len(text), 0, 0, 1, 0),
    ]
    return head + body + b"".join(modules.SECTION.pack(*s) for s in sections)


def folder(root: Path, **needs: str) -> Path:
    for name, depends in needs.items():
        (root / f"{name}.ko").write_bytes(module(depends))
    return root


def test_a_module_follows_what_it_needs(tmp_path: Path) -> None:
    place = folder(tmp_path, bridge="stp,llc", stp="llc", llc="", erofs="libcrc32c")
    found = modules.ordered(place, ["bridge", "erofs", "veth"])
    assert [file.stem for file in found] == ["llc", "stp", "bridge", "erofs"]


def test_a_dash_in_a_name_is_an_underscore(tmp_path: Path) -> None:
    place = folder(tmp_path, a="crc32c-intel", crc32c_intel="")
    assert [f.stem for f in modules.ordered(place, ["a"])] == ["crc32c_intel", "a"]


def test_modules_that_need_each_other_are_refused(tmp_path: Path) -> None:
    place = folder(tmp_path, a="b", b="a")
    with pytest.raises(UserError, match="needs itself \\(a -> b -> a\\)"):
        modules.ordered(place, ["a"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x7fELF\x01\x01" + bytes(100),
        b"\x7fELF\x02\x01",
        module("")[:-1],
        module("")[:100],
        module("", b".other"),
        module("").replace(
            struct.pack("<HHH", 64, 3, 1), struct.pack("<HHH", 64, 3, 7)
        ),
    ],
)
def test_what_is_no_module_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.ko").write_bytes(content)
    with pytest.raises(UserError, match="no module of Linux"):
        modules.ordered(tmp_path, ["a"])
