"""A stranger's patches of Linux, and the make that compiles them, do no harm.

A patch can change what make executes, so everything that a Makefile can try is tried.
"""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.linux import Linux, Patch
from mpbench.errors import UserError
from mpbench.kernel import barriers as launching
from mpbench.kernel import confined, recipe
from mpbench.kernel.barriers import BARRIERS
from mpbench.kernel.compile import BOUNDS
from mpbench.kernel.patched import PatchedTree, files
from mpbench.kernel.shell import Shell

SECRET = "of-this-user-alone"
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is missing")


@pytest.fixture(params=[("namespaces",), BARRIERS], ids="+".join)
def barriers(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, ...]:
    chosen: tuple[str, ...] = request.param
    lacking = sorted({*chosen} - {*launching.offered()})
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(lacking)}")
    monkeypatch.setattr(launching, "offered", lambda: chosen)
    return chosen


def made(folder: Path, text: str, **environment: str) -> str:
    """Output of a confined make."""
    (folder / "Makefile").write_text(text)
    done = subprocess.run(
        confined.command(["make", "--silent"], BOUNDS, builds=True),
        cwd=folder,
        env={**confined.environment(), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "precious").write_text("as it was")
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


def test_make_builds_in_its_folder(tree: Path, barriers: tuple[str, ...]) -> None:
    (tree / "own.c").write_text("int main(void) { return 0; }\n")
    text = """
all:
\tgcc -o own own.c && ./own && mkdir -p sub && cd sub && ln -s ../own.c link
\tchmod 600 own.c; touch -d 2020-01-01 own.c; cat < /dev/null > empty
\t$(MAKE) -j2 more
more: a b
a b:
\techo $@ > $@
"""
    said = made(tree, text)
    assert (tree / "a").read_text() == "a\n", said
    assert (tree / "sub/link").resolve() == tree / "own.c"
    assert (tree / "own.c").stat().st_mtime < 1.6e9
    assert (tree / "empty").read_bytes() == b""


@pytest.mark.parametrize(
    "command",
    [
        "cat {outside}/secret > out",
        "ln -s {outside}/secret out; cat out",
        "ln {outside}/secret out",
        "cat /proc/1/root{outside}/secret; cat /proc/self/root{outside}/secret",
        "cat /etc/passwd /etc/hostname",
        "echo changed > {outside}/precious",
        "mv {outside}/precious .; rm -f {outside}/precious",
        "chmod 000 {outside}/precious; touch -d 2020-01-01 {outside}/precious",
        "truncate -s 0 {outside}/precious",
        "kill -9 {process}; kill -9 -{process}; kill -9 -1",
        "perl -e 'use IO::Socket; print IO::Socket::INET->new(\"127.0.0.1:{port}\")'",
        "mknod device c 1 3 && cat device",
        "unshare -r cat {outside}/secret",
    ],
)
def test_make_touches_nothing_else(
    tree: Path, barriers: tuple[str, ...], command: str, listener: int
) -> None:
    bystander = subprocess.Popen(["/bin/sleep", "100"], process_group=0)
    before = (tree.parent / "precious").stat()
    known = Path("/etc/passwd").read_text().splitlines()[0]
    line = command.format(outside=tree.parent, process=bystander.pid, port=listener)
    try:
        said = made(tree, f"all:\n\t-{line}\n")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()
    plain = [p for p in tree.rglob("*") if p.is_file() and not p.is_symlink()]
    held = [path.read_text() for path in plain]
    for text in (said, *held):
        assert SECRET not in text
        assert known not in text
        assert "GLOB" not in text
    after = (tree.parent / "precious").stat()
    assert (tree.parent / "precious").read_text() == "as it was"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


@pytest.fixture
def listener() -> Iterator[int]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_make_sees_no_variables_of_this_process(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    shell = Shell(tmp_path / "log")
    (tree / "Makefile").write_text("all:\n\t@env\n")
    argv = confined.command(["make"], BOUNDS, builds=True)
    said = shell.run(argv, tree, confined.environment(), alone=True)
    shell.close()
    assert "PATH=" in said
    assert SECRET not in said


@dataclass
class Base:
    """A finished tree in place of Linux."""

    tree: Path
    hostile: bool = False

    @property
    def objects(self) -> Path:
        return self.tree / "objects"


def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> Path:
    """The tree after patches of these texts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    base = tmp_path / "base"
    (base / "net/mptcp").mkdir(parents=True)
    (base / "objects").mkdir()
    lines = "".join(f"line {number}\n" for number in range(1, 21))
    (base / "net/mptcp/pm.c").write_text(lines)
    (base / "gone.c").write_text("gone\n")
    patches = tuple(
        Patch(name=f"{number}.patch", text=text) for number, text in enumerate(texts)
    )
    wanted = recipe.variant(Linux(patches=patches))
    tree = PatchedTree(wanted, Base(base))  # type: ignore[arg-type]
    shell = Shell(tmp_path / "log")
    try:
        tree.prepare(shell)
    finally:
        shell.close()
    assert (base / "net/mptcp/pm.c").read_text() == lines
    return tree.tree


GOOD = """\
From: A. Uthor <author@example.org>
Subject: [PATCH] mptcp: change a line

---
 net/mptcp/pm.c | 2 +-
diff --git a/net/mptcp/pm.c b/net/mptcp/pm.c
--- a/net/mptcp/pm.c
+++ b/net/mptcp/pm.c
@@ -9,3 +9,3 @@ line
 line 9
-line 10
+line ten
 line 11
-- 
2.39.5
"""


def test_patches_change_make_and_remove_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = """\
--- /dev/null
+++ b/net/mptcp/new.c
@@ -0,0 +1 @@
+new
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""
    tree = prepared(tmp_path, monkeypatch, GOOD, other)
    assert "line ten\n" in (tree / "net/mptcp/pm.c").read_text()
    assert (tree / "net/mptcp/new.c").read_text() == "new\n"
    assert not (tree / "gone.c").exists()
    assert (tmp_path / "base/gone.c").exists()


def test_a_patch_that_does_not_apply_names_file_hunk_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = GOOD.replace("-line 10", "-line 10 as it was").replace("line 11", "other")
    words = r"0\.patch: does not apply: net/mptcp/pm\.c, hunk 1 of 1, at line 9"
    with pytest.raises(UserError, match=words):
        prepared(tmp_path, monkeypatch, text)


def test_a_patch_twice_does_not_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=r"1\.patch: does not apply: net/mptcp/pm\.c"):
        prepared(tmp_path, monkeypatch, GOOD, GOOD)


@pytest.mark.parametrize(
    "name",
    ["../../out", "/etc/passwd", "net/../../out", "a/../../b", "net/./x", "net//x"],
)
def test_a_patch_names_files_of_linux_alone(name: str) -> None:
    text = f"--- a/net/mptcp/pm.c\n+++ {name}\n@@ -1 +1 @@\n-x\n+y\n"
    with pytest.raises(UserError, match=r"own: names the file .*, which lies in no"):
        files(Patch(name="own", text=text))


def test_a_script_of_ed_is_no_patch() -> None:
    with pytest.raises(UserError, match=r"own: no patch: nothing in it names a file"):
        files(Patch(name="own", text="1c\nx\n.\n!touch /tmp/here\nw\nq\n"))


def test_a_link_is_no_plain_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GNU patch makes symbolic links, through which a build would read other files."""
    (tmp_path / "secret").write_text(SECRET)
    text = f"""\
diff --git a/net/link.c b/net/link.c
new file mode 120000
--- /dev/null
+++ b/net/link.c
@@ -0,0 +1 @@
+{tmp_path}/secret
\\ No newline at end of file
"""
    with pytest.raises(UserError, match=r"which is no plain file|does not apply"):
        prepared(tmp_path, monkeypatch, text)


def test_a_result_behind_a_link_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "secret").write_text(SECRET)
    tree = PatchedTree(recipe.variant(Linux(lab=False)), Base(tmp_path / "base"))  # type: ignore[arg-type]
    tree.objects.mkdir(parents=True)
    (tree.objects / "linux").symlink_to(tmp_path / "secret")
    with pytest.raises(UserError, match="no plain file linux"):
        tree.result("linux")
    (tmp_path / "secret").replace(tree.objects / "linux")
    assert tree.result("linux").read_text() == SECRET


def test_where_nothing_confines_make_only_trust_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Landlock alone keeps nobody from a file's mode and dates, which make sets."""
    for offered in ((), ("landlock",)):
        monkeypatch.setattr(launching, "offered", lambda offered=offered: offered)
        with pytest.raises(UserError, match=r"own: patches of Linux, .*--trust"):
            confined.require_for_builds("own", trusted=False)
        confined.require_for_builds("own", trusted=True)
    monkeypatch.setattr(launching, "offered", lambda: ("namespaces",))
    confined.require_for_builds("own", trusted=False)
