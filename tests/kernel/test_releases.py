"""Other releases of Linux: which package has one, and the tree that it becomes."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from jobs.linux import Linux, Release
from mpbench.errors import UserError
from mpbench.kernel import (
    archive,
    building,
    debian,
    recipe,
    released,
    releases,
    variants,
)
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import CommandFailed, Shell
from mpbench.kernel.sources import Source, file_identity
from mpbench.kernel.worktree import Worktree

from .conftest import Lab

APT = """\
#!/bin/sh
# Takes the place of apt-get: main and security, whose lists can be read unless OFFLINE.
case "$*" in
*indextargets*)
    echo "Debian|main|bookworm|http://main/"
    echo "Debian|main|bookworm-security|http://security/";;
*update*) [ -z "$OFFLINE" ] || { echo "E: no route to host"; exit 100; };;
*download*) [ "$PACKAGE" ] || { echo "E: Version was not found"; exit 100; }
    cp "$PACKAGE" .;;
esac
"""
SHOWN = """\
#!/bin/sh
# Takes the place of apt-cache: versions of linux-source-6.12, the newest first.
case "$*" in
*6.12*)
    for version in 6.12.118-1 '6.12.117-1~deb12u1' '6.12~rc7-1~exp1' 6.12-1 6.12.95-2
    do
        printf 'Package: linux-source-6.12\\nVersion: %s\\nSHA256: %064d\\n\\n' \\
            "$version" "$(echo "$version" | tr -dc 0-9)"
    done;;
*7.4*)
    for version in '7.4~rc3-1~exp1' '7.4~rc2-1~exp2'
    do
        printf 'Package: linux-source-7.4\\nVersion: %s\\nSHA256: %064d\\n\\n' \\
            "$version" 7
    done;;
*) echo "E: No packages found" >&2; exit 100;;
esac
"""
DPKG = """\
#!/bin/sh
# Takes the place of dpkg-deb: a package is a tarball.
mkdir -p "$3/usr/src" && cp "$2" "$3/usr/src/linux-source-6.12.tar.xz"
"""


@pytest.fixture
def shell(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name, text in (("apt-get", APT), ("apt-cache", SHOWN), ("dpkg-deb", DPKG)):
        (lab.folder / "bin" / name).write_text(text)
        (lab.folder / "bin" / name).chmod(0o755)
    keyring = lab.folder / "keyring"
    keyring.touch()
    monkeypatch.setattr(debian, "KEYRING", keyring)
    monkeypatch.delenv("MPBENCH_MIRROR", raising=False)
    return Shell(lab.folder / "log")


def found(wanted: str, shell: Shell, folder: Path) -> str:
    apt = folder / "apt"
    apt.mkdir()
    return archive.resolve(wanted, shell, apt).package


@pytest.mark.parametrize(
    ("wanted", "package"),
    [
        ("6.12", "6.12.118-1"),
        ("6.12.117", "6.12.117-1~deb12u1"),
        ("6.12.95-2", "6.12.95-2"),
        ("6.12~rc7", "6.12~rc7-1~exp1"),
        ("7.4~rc2", "7.4~rc2-1~exp2"),
        ("7.4~rc3-1~exp1", "7.4~rc3-1~exp1"),
    ],
)
def test_the_newest_package_of_a_release(
    shell: Shell, tmp_path: Path, wanted: str, package: str
) -> None:
    assert found(wanted, shell, tmp_path) == package


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("6.12.3", r"6\.12\.3 is not in .* has 6\.12\.118, 6\.12\.117, 6\.12~rc7, .*"
         r"6\.12_PACKAGE_all\.deb, .* MPBENCH_MIRROR, .* such as 6\.12\.3-1"),
        ("7.2", r"which has none of 7\.2; "),
        ("7.5", r"which has none of 7\.5; "),
        ("7.4", r"^Linux 7\.4 is not in Debian's archive, which has only candidates:"
         r" 7\.4~rc3, 7\.4~rc2; write linux: 7\.4~rc3$"),
        ("7.4~rc9", r"^Linux 7\.4~rc9 is not in .* has 7\.4~rc3, 7\.4~rc2; if .*"
         r" such as 7\.4~rc9-1$"),
        ("6.1", r"Linux 6\.1 has no interface for schedulers of MPTCP; 6\.12, 7"),
        ("6.13", r"Linux 6\.13 has no port to User Mode Linux here; 6\.12, 7\.2 and"),
    ],
)  # fmt: skip
def test_a_release_that_cannot_be_had(
    shell: Shell, tmp_path: Path, wanted: str, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        found(wanted, shell, tmp_path)


def test_an_archive_that_cannot_be_read(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OFFLINE", "yes")
    with pytest.raises(UserError, match=r"suites trixie, .* cannot be read"):
        found("6.12", shell, tmp_path)


def test_a_place_of_the_user_has_what_the_archive_dropped(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPBENCH_MIRROR", str(tmp_path))
    file = tmp_path / "debs/linux-source-6.12_6.12.3-1_all.deb"
    file.parent.mkdir()
    file.write_bytes(b"package")
    apt = tmp_path / "apt"
    apt.mkdir()
    assert archive.resolve("6.12.3-1", shell, apt) == Release(
        package="6.12.3-1", sha256=hashlib.sha256(b"package").hexdigest()
    )


@pytest.mark.parametrize(
    "text", ["6", "6.12-1", "six", "7.4-rc3", "7.4.0~rc3", "6.12.1.1", "", "06.12"]
)
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(ValueError, match="is no release of Linux"):
        archive.series(text)


class Package:
    """A package with a small Linux 6.12.3 in a place of the user's, and a donor."""

    def __init__(self, lab: Lab) -> None:
        top = lab.folder / "linux-source-6.12"
        self.add(top / "Makefile", "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\n")
        self.add(top / "arch/um/old.c", "old\n")
        self.add(top / "arch/x86/um/old.c", "old\n")
        self.add(top / "net/mptcp/pm.c", "6.12\n")
        debs = lab.folder / "place/debs"
        debs.mkdir(parents=True)
        self.file = debs / "linux-source-6.12_6.12.3-1_all.deb"
        folder = ["-C", str(lab.folder), top.name]
        subprocess.run(["tar", "-cJf", self.file, *folder], check=True)
        self.release = Release(package="6.12.3-1", sha256=file_identity(self.file))
        self.donor = Source("7.3.9", "here", "d" * 64, True)
        for name in ("arch/um/new.c", "arch/x86/um/new.c", "arch/x86/Makefile.um"):
            self.add(self.donor.tree / name, "new\n")
        self.add(self.donor.tree / "include/vdso/page.h", "new\n")
        self.add(self.donor.tree / "net/mptcp/pm.c", "7.3\n")

    @staticmethod
    def add(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def package(lab: Lab, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Package:
    monkeypatch.setenv("MPBENCH_MIRROR", str(lab.folder / "place"))
    return Package(lab)


def test_a_tree_has_parts_of_the_donor(package: Package, shell: Shell) -> None:
    made = released.obtain(package.release, package.donor, shell, Progress())
    files = {str(p.relative_to(made.tree)) for p in made.tree.rglob("*.[ch]")}
    moved = {"arch/um/new.c", "arch/x86/um/new.c", "include/vdso/page.h"}
    assert files == {"net/mptcp/pm.c", *moved}
    assert (made.tree / "net/mptcp/pm.c").read_text() == "6.12\n"
    assert made.identity == released.identity(package.release, "d" * 64)
    assert made.identity != released.identity(package.release, "e" * 64)
    package.file.unlink()
    again = released.obtain(package.release, package.donor, shell, Progress())
    assert again == made


def test_a_candidate_has_the_version_that_its_makefile_says(
    package: Package, shell: Shell, lab: Lab
) -> None:
    top = lab.folder / "linux-source-7.4"
    text = "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc3\n"
    package.add(top / "Makefile", text)
    file = package.file.with_name("linux-source-7.4_7.4~rc3-1~exp1_all.deb")
    subprocess.run(["tar", "-cJf", file, "-C", str(lab.folder), top.name], check=True)
    found = Release(package="7.4~rc3-1~exp1", sha256=file_identity(file))
    assert (found.version, found.series, found.makefile, found.file) == (
        *("7.4~rc3", "7.4", "7.4.0-rc3"),
        file.name,
    )
    (lab.folder / "bin/dpkg-deb").write_text(DPKG.replace("6.12", "7.4"))
    made = released.obtain(found, package.donor, shell, Progress())
    assert made.version == "7.4~rc3"
    other = Release(package="7.4~rc2-1~exp1", sha256=found.sha256)
    file.rename(file.with_name(other.file))
    words = r"^linux-source-7\.4_7\.4~rc2.*: has Linux 7\.4\.0-rc3, not 7\.4\.0-rc2$"
    with pytest.raises(UserError, match=words):
        released.obtain(other, package.donor, shell, Progress())


def test_a_newer_release_is_built_as_mpbenchs_own() -> None:
    newer = Release(package="7.4~rc3-1~exp1", sha256="0" * 64)
    made = recipe.variant(Linux(lab=False, release=newer))
    stock = recipe.variant(Linux(lab=False))
    assert (made.patches, made.fragment) == (stock.patches, stock.fragment)
    assert made.digest != stock.digest
    assert released.taken(newer) == ()


def test_a_newer_release_that_patches_do_not_fit_says_which(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise CommandFailed("patch", 1, shell.log, ["0004: hunk 2 FAILED"])

    monkeypatch.setattr(Worktree, "prepare", fail)
    newer = Release(package="7.4~rc3-1~exp1", sha256="0" * 64)
    wanted = recipe.variant(Linux(lab=False, release=newer))
    source = Source("7.4~rc3", "here", "d" * 64, True)
    maker = building.Maker(wanted, source, "gcc", "key", shell, Progress())
    words = (
        r"^stock Linux 7\.4~rc3: mpbench's patches for Linux do not apply: 0004: hunk 2"
        " FAILED$"
    )
    with pytest.raises(UserError, match=words):
        maker.make(1, anew=False)


def test_a_package_that_is_not_the_locked_one(package: Package, shell: Shell) -> None:
    other = Release(package="6.12.3-1", sha256="0" * 64)
    with pytest.raises(UserError, match=r"SHA-256 of .* was locked to 0{64}; take"):
        released.obtain(other, package.donor, shell, Progress())


def test_a_package_of_the_archive(
    package: Package, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKAGE", str(package.file))
    monkeypatch.setenv("MPBENCH_MIRROR", str(tmp_path))
    made = released.obtain(package.release, package.donor, shell, Progress())
    assert (made.tree / "net/mptcp/pm.c").read_text() == "6.12\n"
    said = shell.log.read_text()
    assert "download linux-source-6.12=6.12.3-1" in said
    assert said.index("update --error-on=any") < said.index("download linux-source")


def test_a_package_that_the_archive_dropped(package: Package, shell: Shell) -> None:
    package.file.unlink()
    words = (
        r"^Linux 6\.12\.3 is no longer in Debian's archive, or that cannot be read;"
        r" name in MPBENCH_MIRROR a snapshot .* has linux-source-6\.12_6\.12\.3-1_all"
        r"\.deb; or write linux: '6\.12' and remove the lock to take the newest 6\.12"
    )
    with pytest.raises(UserError, match=words) as error:
        released.obtain(package.release, package.donor, shell, Progress())
    assert "\n" not in str(error.value)


def test_a_snapshot_of_the_archive_has_what_it_dropped(
    package: Package, shell: Shell, lab: Lab
) -> None:
    pool = lab.folder / "place/pool/main/l/linux"
    pool.mkdir(parents=True)
    package.file.rename(pool / package.file.name)
    made = released.obtain(package.release, package.donor, shell, Progress())
    assert (made.tree / "net/mptcp/pm.c").read_text() == "6.12\n"


OLD = Linux(lab=False, release=Release(package="6.12.3-1", sha256="0" * 64))


def test_the_patches_of_a_release_stand_in_the_place_of_those_of_the_series() -> None:
    stock = recipe.variant(Linux(lab=False)).patches
    listed = recipe.variant(OLD).patches
    own = releases.port("6.12").patches
    assert [path.name for path in listed[: len(stock)]] == [p.name for p in stock]
    replaced = [path for path in listed[: len(stock)] if path.name in own]
    assert replaced == [own["0012-um-hostfs-closed.patch"], own[replaced[1].name]]
    assert [path.name[:2] for path in listed[len(stock) :]] == ["01", "01"]


def test_options_have_the_names_of_the_release() -> None:
    fragment = recipe.variant(OLD).fragment
    assert "CONFIG_PROC_SYSCTL=y" in fragment
    assert "CONFIG_SYSCTL=" not in fragment
    assert "CONFIG_SYSCTL=y" in recipe.variant(Linux(lab=False)).fragment


def test_mpbenchs_network_code_is_for_its_own_linux() -> None:
    with pytest.raises(
        UserError, match=r"Linux 6\.12\.3: .*for Linux 7\.3; .*lab: none"
    ):
        recipe.variant(Linux(release=OLD.release))


def test_a_release_changes_no_other_key() -> None:
    """A kernel of mpbench's own Linux has the source that it had before."""
    assert variants.source_identity("d", Linux(lab=False)) == "d"
    assert "port" not in dict(recipe._inputs(recipe.variant(Linux(lab=False))))
    newer = Release(package="7.3.5-1", sha256="0" * 64)
    assert variants.source_identity("d", Linux(release=newer)) == "0" * 64


def test_every_patch_of_a_release_names_files(tmp_path: Path) -> None:
    assert releases.known() == ("6.12", "7.2")
    for series in releases.known():
        for path in releases.port(series).patches.values():
            assert recipe.PATCHED.findall(path.read_text()), path
