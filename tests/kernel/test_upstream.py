"""Downloads from the kernel's own site, with a folder in its place."""

import hashlib
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.kernel import upstream


def site(folder: Path, content: bytes = b"linux") -> str:
    newest = folder / "linux-7.3.10.tar.xz"
    newest.write_bytes(content)
    digest = hashlib.sha256(b"linux").hexdigest()
    names = ["linux-7.3.tar.xz", "linux-7.3.9.tar.xz", newest.name, "linux-7.30.tar.xz"]
    listed = "".join(f"{digest}  {name}\n" for name in names)
    (folder / "sha256sums.asc").write_text(f"-----BEGIN PGP\n\n{listed}-----END\n")
    return f"{folder.as_uri()}/"


def test_the_newest_of_the_series(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    tarball, version = upstream.fetch(target, site(tmp_path))
    assert (tarball.read_bytes(), version) == (b"linux", "7.3.10")


def test_another_content_than_listed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(UserError, match="SHA-256"):
        upstream.fetch(target, site(tmp_path, b"other"))
    assert list(target.iterdir()) == []


def test_no_site(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--source"):
        upstream.fetch(tmp_path, f"{tmp_path.as_uri()}/absent/")
