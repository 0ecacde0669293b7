"""Which Linux the archives give: the pinned one, or on request the newest."""

import subprocess
from pathlib import Path

import pytest

from mpbench import cli, kernel
from mpbench.errors import UserError
from mpbench.kernel import Newest, debian, pinned, sources, upstream

from .conftest import Lab

APT = """\
#!/bin/sh
# Takes the place of apt-get, with one version of the package in its archive.
case "$*" in
*indextargets*) echo "Debian|main|bookworm|archive";;
*update*) [ "$VERSION" ] || exit 100;;
*download*)
    for word; do last=$word; done
    case $last in
    linux-source-7.3|linux-source-7.3=$VERSION) echo > linux-source.deb;;
    *) echo "E: Version for 'linux-source-7.3' was not found" >&2; exit 100;;
    esac;;
esac
"""
DPKG = """\
#!/bin/sh
# Takes the place of dpkg-deb: the one package that there is.
case $1 in
--field) echo "$VERSION";;
--extract) mkdir -p "$3/usr/src" && cp "$TARBALL" "$3/usr/src/linux-source-7.3.tar.xz";;
esac
"""


@pytest.fixture
def archive(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Debian's archive with the pinned version of the laboratory's Linux."""
    tarball = lab.folder / "packed.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", lab.folder, "linux"], check=True)
    for name, text in (("apt-get", APT), ("dpkg-deb", DPKG)):
        (lab.folder / "bin" / name).write_text(text)
        (lab.folder / "bin" / name).chmod(0o755)
    keyring = lab.folder / "keyring"
    keyring.touch()
    monkeypatch.setattr(debian, "KEYRING", keyring)
    monkeypatch.setattr(pinned, "FILE", lab.folder / "linux.lock")
    pinned.FILE.write_text(
        "version 7.3.9\norigin Debian linux-source-7.3 7.3.9-1\n"
        f"whole {sources.file_identity(tarball)}\nsubset {'0' * 64}\n"
    )
    monkeypatch.setenv("VERSION", "7.3.9-1")
    monkeypatch.setenv("TARBALL", str(tarball))
    monkeypatch.delenv("MPBENCH_MIRROR", raising=False)
    monkeypatch.setattr(upstream, "SITE", f"{(lab.folder / 'nothing').as_uri()}/")
    return tarball


def repacked(lab: Lab) -> Path:
    """Another Linux of the same series."""
    (lab.tree / "lib/two.c").write_text("two\n")
    tarball = lab.folder / "newer.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", lab.folder, "linux"], check=True)
    return tarball


def test_the_pinned_version_is_taken(lab: Lab, archive: Path) -> None:
    made = kernel.build("guest")
    assert made.info["source"] == "Debian linux-source-7.3 7.3.9-1"
    assert made.info["source_hash"] == pinned.read().whole


def test_a_place_without_the_file_leaves_it_to_the_archive(
    lab: Lab, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab.folder / "empty").mkdir()
    monkeypatch.setenv("MPBENCH_MIRROR", str(lab.folder / "empty"))
    assert kernel.build("guest").info["source_hash"] == pinned.read().whole


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("7.3.11-1", "trixie-backports does not have linux-source-7.3 7.3.9-1"),
        ("", "trixie-backports cannot be read"),
    ],
)
def test_the_pinned_version_is_gone(
    lab: Lab,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    says: str,
) -> None:
    monkeypatch.setenv("VERSION", version)
    with pytest.raises(UserError, match=says) as caught:
        kernel.build("guest")
    assert "linux-7.3.9-um.tar.xz" in str(caught.value)
    assert "MPBENCH_MIRROR" in str(caught.value) and "--newest" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sources.stored() == []


def test_the_pinned_version_with_another_content(
    lab: Lab, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARBALL", str(repacked(lab)))
    with pytest.raises(UserError, match="its SHA-256 is"):
        kernel.build("guest")
    assert sources.stored() == []


def test_the_newest_is_a_kernel_beside_the_pinned_one(
    lab: Lab, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = kernel.build("guest")
    monkeypatch.setenv("VERSION", "7.3.11-1")
    monkeypatch.setenv("TARBALL", str(repacked(lab)))
    new = kernel.build("guest", newest=Newest.ALWAYS)
    assert new.key != old.key and old.path.exists()
    assert new.info["source"] == "Debian linux-source-7.3 7.3.11-1"
    # A change of the recipe goes back to the pinned Linux.
    (lab.kernel / "overlay/net/ours.c").write_text("newer\n")
    assert kernel.build("guest").info["source_hash"] == pinned.read().whole


def test_otherwise_the_newest(
    lab: Lab,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`make` builds a kernel also when the archive has gone on."""
    monkeypatch.setenv("VERSION", "7.3.11-1")
    monkeypatch.setenv("TARBALL", str(repacked(lab)))
    made = kernel.build("guest", newest=Newest.OTHERWISE)
    assert made.info["source"] == "Debian linux-source-7.3 7.3.11-1"
    told = capsys.readouterr().err
    assert "does not have linux-source-7.3 7.3.9-1" in told
    assert "--or-newest: results have another identity" in told
    assert kernel.build("guest", newest=Newest.OTHERWISE).key == made.key


def test_otherwise_the_pinned_one(lab: Lab, archive: Path) -> None:
    made = kernel.build("guest", newest=Newest.OTHERWISE)
    assert made.info["source_hash"] == pinned.read().whole


def test_without_debian_the_newest_is_the_sites(
    lab: Lab, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERSION", "")
    monkeypatch.setattr(upstream, "fetch", lambda folder: (archive, "7.3.9"))
    made = kernel.build("guest", newest=Newest.ALWAYS)
    assert made.info["source"].endswith("/linux-7.3.9.tar.xz")


def test_one_of_both(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["mpbench", "kernel", "build", "--newest", "--source", str(lab.tree)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "mpbench: --source and --newest: give one of them\n"
    )


def test_another_kind_of_cpu(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(UserError, match="aarch64; guests need an x86-64 machine"):
        kernel.build("guest", lab.tree)
