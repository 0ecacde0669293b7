"""The archive that controllers of one's own are linked with."""

import tarfile
from pathlib import Path

import pytest

from mpbench.kernel import kit


def test_the_archive_has_neither_a_time_nor_the_name_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {"orders.json": b"{}", "um/vmlinux.a": b"objects" * 1000}
    made = []
    for number, name in enumerate(("kit.tar.gz", "other.tar.gz")):
        monkeypatch.setattr("time.time", lambda now=1e9 * (number + 1): now)
        kit.write(tmp_path / name, members)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    with tarfile.open(tmp_path / "kit.tar.gz") as archive:
        assert archive.getnames() == list(members)
        for member in archive:
            file = archive.extractfile(member)
            assert member.mtime == 0 and file and file.read() == members[member.name]
