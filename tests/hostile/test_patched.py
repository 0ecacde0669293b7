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
from mpbench.kernel import confined, patched, recipe
from mpbench.kernel.barriers import BARRIERS, Below
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


def made(
    folder: Path, text: str, below: Below | None = None, **environment: str
) -> str:
    """Output of a confined make."""
    (folder / "Makefile").write_text(text)
    done = subprocess.run(
        confined.command(["make", "--silent"], BOUNDS, builds=True, below=below),
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
    def folder(self) -> Path:
        return self.tree.parent

    @property
    def objects(self) -> Path:
        return self.tree / "objects"


def prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *texts: str
) -> PatchedTree:
    """The tree after patches of these texts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    base = tmp_path / "base/tree"
    lines = "".join(f"line {number}\n" for number in range(1, 21))
    if not base.exists():
        (base / "net/mptcp").mkdir(parents=True)
        (base / "objects").mkdir()
        (base / "objects/.config").write_text("CONFIG_MPTCP=y\n")
        (base / "net/mptcp/pm.c").write_text(lines)
        (base / "gone.c").write_text("gone\n")
        (base.parent / "state.json").write_text("{}")
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
    return tree


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


OTHER = """\
--- /dev/null
+++ b/net/mptcp/new.c
@@ -0,0 +1 @@
+new
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


THIRD = "--- /dev/null\n+++ b/third.c\n@@ -0,0 +1 @@\n+third\n"


def seen(tree: PatchedTree, line: str) -> str:
    """Output of a command of make's in a tree."""
    said = made(tree.tree, f"all:\n\t@{line}\n", tree.below)
    if tree.below is not None:
        launching.remove_work(tree.below.work)
        tree.below.work.mkdir()
    return said


@pytest.fixture(params=[True, False], ids=["below", "copied"])
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether finished trees are seen below the one with patches, or copied."""
    launching.shows_below.cache_clear()
    if not request.param:
        monkeypatch.setattr(launching, "shows_below", lambda place: False)
    elif "namespaces" not in launching.offered():
        pytest.skip("this host does not offer namespaces")


def test_patches_change_make_and_remove_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: None
) -> None:
    tree = prepared(tmp_path, monkeypatch, GOOD, OTHER)
    assert "line ten\n" in seen(tree, "cat net/mptcp/pm.c")
    assert seen(tree, "cat net/mptcp/new.c objects/.config") == "new\nCONFIG_MPTCP=y\n"
    assert seen(tree, "ls") == "Makefile\nnet\nobjects\n"
    assert tree.result(".config").read_text() == "CONFIG_MPTCP=y\n"
    assert (tmp_path / "base/tree/gone.c").exists()


@pytest.mark.parametrize(
    "line",
    [
        "echo changed > objects/one.o; echo more >> objects/one.o",
        "chmod 000 objects/one.o; touch -d 2020-01-01 objects/one.o",
        "rm -rf objects; ln -s /etc objects; mv net other",
        "mv objects/one.o objects/two.o; ln objects/.config objects/three.o",
        "echo changed > {base}/objects/one.o; rm -rf {base}",
    ],
)
def test_make_changes_nothing_of_the_tree_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    base = tmp_path / "base/tree"
    first = prepared(tmp_path, monkeypatch, GOOD)
    if first.below is None:
        pytest.skip("this host cannot show one folder below another")
    (base / "objects/one.o").write_text("one\n")
    before = {path: path.lstat() for path in base.rglob("*")}
    tree = prepared(tmp_path, monkeypatch, GOOD)
    assert seen(tree, "cat objects/one.o") == "one\n"
    seen(tree, line.format(base=base))
    assert (base / "objects/one.o").read_text() == "one\n"
    after = {path: path.lstat() for path in base.rglob("*")}
    facts = [(s.st_mode, s.st_mtime_ns, s.st_size, s.st_nlink) for s in after.values()]
    assert list(before) == list(after)
    assert facts == [
        (s.st_mode, s.st_mtime_ns, s.st_size, s.st_nlink) for s in before.values()
    ]


def test_patches_that_begin_alike_share_a_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepared(tmp_path, monkeypatch, GOOD)
    if first.below is None:
        pytest.skip("this host cannot show one folder below another")
    seen(first, "echo of-the-first > objects/first.o; echo 1 > objects/.config")
    first.keep()
    second = prepared(tmp_path, monkeypatch, GOOD, OTHER)
    assert second.below is not None
    base = tmp_path / "base/tree"
    assert second.below.folders == (first.tree, base)
    assert seen(second, "cat objects/first.o") == "of-the-first\n"
    assert not (second.tree / "net/mptcp/pm.c").exists()
    assert "line ten\n" in seen(second, "cat net/mptcp/pm.c")
    assert "gone.c" not in seen(second, "ls")
    assert second.result(".config").read_text() == "1\n"
    second.keep()
    third = prepared(tmp_path, monkeypatch, GOOD, OTHER, THIRD)
    assert third.below is not None
    assert third.below.folders == (second.tree, first.tree, base)


def test_no_tree_is_shared_after_another_beginning_or_a_new_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepared(tmp_path, monkeypatch, GOOD)
    if first.below is None:
        pytest.skip("this host cannot show one folder below another")
    first.keep()
    second = prepared(tmp_path, monkeypatch, GOOD, OTHER)
    second.keep()
    alone = (tmp_path / "base/tree",)
    other = prepared(tmp_path, monkeypatch, OTHER)
    assert other.below is not None
    assert other.below.folders == alone
    first.remove()
    third = prepared(tmp_path, monkeypatch, GOOD, OTHER, THIRD)
    assert third.below is not None
    assert third.below.folders == alone
    first.keep() if first.folder.exists() else None
    other.keep()
    (tmp_path / "base/state.json").write_text('{"recipe": "another"}')
    last = prepared(tmp_path, monkeypatch, OTHER, GOOD)
    assert last.below is not None
    assert last.below.folders == alone


def test_a_kept_tree_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its make may have put a link in the place of a folder that is read next."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/linux").write_text(SECRET)
    first = prepared(tmp_path, monkeypatch, GOOD)
    if first.below is None:
        pytest.skip("this host cannot show one folder below another")
    seen(first, f"rm -rf objects; ln -s {tmp_path}/outside objects")
    assert (first.tree / "objects").is_symlink()
    first.keep()
    second = prepared(tmp_path, monkeypatch, GOOD, OTHER)
    assert not (second.objects / "linux").exists()


def test_only_the_last_few_trees_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patched, "KEPT", 2)
    trees = []
    for number in range(3):
        text = GOOD.replace("line ten", f"line {number}")
        trees.append(prepared(tmp_path, monkeypatch, text))
        trees[-1].keep()
    if trees[0].below is None:
        assert not any(tree.folder.exists() for tree in trees)
        return
    assert [tree.folder.exists() for tree in trees] == [False, True, True]


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
