"""The subset of Linux: which files belong to it, and that its bytes are fixed."""

import io
import os
import tarfile
from pathlib import Path

from packing import linux

LINES = """\
# a comment
*
lib/one.c
mm/*
scripts/**
"""


def test_which_files_belong_to_it() -> None:
    names = {
        "COPYING": True,
        "lib/one.c": True,
        "lib/two.c": False,
        "lib/one.c.orig": False,
        "mm/slab.c": True,
        "mm/deep/x.c": False,
        "scripts/mod/modpost.c": True,
        "drivers/gpu/drm/Kconfig": True,
        "drivers/gpu/drm/Makefile": True,
        "drivers/gpu/drm/drm.c": False,
        "arch/arm/crypto/Kconfig": True,
        "arch/arm/Makefile": False,
        "arch/um/Makefile.rules": True,
        "tools/perf/Makefile": False,
    }
    chosen = linux.chosen(names, linux.selection(LINES))
    assert chosen == sorted(name for name, belongs in names.items() if belongs)


def test_the_archive_depends_on_contents_alone(tmp_path: Path) -> None:
    made = []
    for number, name in enumerate(("first", "second")):
        tree = tmp_path / name
        for file in ("net/b.sh", "net/a.c", "Makefile"):
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(file)
            os.utime(tree / file, (number, number))
        (tree / "net/b.sh").chmod(0o755 if number else 0o700)
        (tree / "net/link").symlink_to("a.c")
        made.append(linux.archive(tree, "linux-um"))
    # kernel/linux.files has neither net/ as a whole nor net/link
    assert made[0] == made[1]
    with tarfile.open(fileobj=io.BytesIO(made[0])) as archive:
        members = {member.name: member for member in archive}
    assert members["linux-um/Makefile"].mtime == linux.DATE


def test_no_line_of_the_list_is_idle() -> None:
    lines = linux.FILES.read_text().splitlines()
    named = [line for line in lines if not line.startswith("#")]
    assert named == sorted(set(named)) and len(named) > 100
