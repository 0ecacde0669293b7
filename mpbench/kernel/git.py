"""Reads commits of Linux from git repositories, which may be a stranger's.

    with git.opened(Path("~/src/linux").expanduser()) as repository:
        tree = repository.linux(repository.commit("export/20261120"))

Nothing in the repository is executed, and none of its configuration is read: git sees a
view, a folder of ours with copies of the repository's references and with a
configuration of ours, and reads objects out of the repository. It runs behind the
launcher's barriers, with bounds of time, memory and output. So there are no hooks, no
filters, no monitor of files and no submodules.

`mpbench.kernel.git_fetch` has commits of an address.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs.linux import Tree
from mpbench.errors import UserError, printable
from mpbench.kernel import barriers, confined, git_view
from mpbench.kernel.barriers import Bounds
from mpbench.kernel.git_view import MIB, Place
from mpbench.kernel.shell import Shell

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/~^+-]{0,199}")
"""A branch, a tag, a hash, or one of these with ~ and ^."""
HASH = re.compile(r"[0-9a-f]{40}")
ADDRESS = re.compile(r"https://[A-Za-z0-9][A-Za-z0-9./:_~%+-]{0,499}")
BOUNDS = Bounds(
    file_bytes=256 * MIB, memory_bytes=16 * MIB, address_bytes=4 << 30, cpu_s=300
)
MOST_FILES = 200_000
MOST_TREE_BYTES = 3 << 30
"""Bounds on a commit's files. Linux has 95 thousand with 1.7 GB."""
MOST_COMMITS = 10_000
"""Commits of a range."""
VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_PAGER": "cat",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
}


class GitFailedError(Exception):
    """git ended with a status other than 0. The message is the last line it said."""


class Repository:
    """A repository, seen through a view of ours.

    shown : the repository in messages
    """

    def __init__(self, view: Path, place: Place, shown: str) -> None:
        self.shown = shown
        self._view = view
        self._place = place
        self._objects = git_view.objects(place)
        git_view.write(view / "view", place, shown)

    def commit(self, name: str) -> str:
        """The hash of the commit that a name stands for.

        Raises UserError, one line, for a name of no commit here.
        """
        if not NAME.fullmatch(name) or ".." in name:
            raise UserError(
                f"'{printable(name[:60])}' is no name of a commit; a branch, a tag or a"
                " hash works"
            )
        words = ["rev-parse", "--verify", "--quiet", "--end-of-options"]
        try:
            found = self._text([*words, f"{name}^{{commit}}"]).strip()
        except GitFailedError as error:
            raise UserError(
                f"no commit '{printable(name)}' in {self.shown}{_why(error)}; a branch,"
                " a tag or a hash works"
            ) from None
        if not HASH.fullmatch(found):
            raise UserError(f"{self.shown}: no repository with hashes of 40 digits")
        return found

    def has(self, commit: str) -> bool:
        """Whether it has a commit of this hash."""
        try:
            return self.commit(commit) == commit
        except UserError:
            return False

    def linux(self, commit: str) -> Tree:
        """The files of a commit, by their hash, and the version of Linux.

        Raises UserError, one line, for a commit that has another content than Linux.
        """
        try:
            tree = self._text(["rev-parse", "--verify", f"{commit}^{{tree}}"]).strip()
            makefile = self._text(["cat-file", "blob", f"{commit}:Makefile"])
        except GitFailedError as error:
            raise UserError(
                f"commit {commit[:12]} of {self.shown} has no Makefile of Linux"
                f"{_why(error)}"
            ) from None
        version = _version(makefile)
        if version is None:
            raise UserError(
                f"commit {commit[:12]} of {self.shown} is not Linux: its Makefile has"
                " no VERSION, PATCHLEVEL and SUBLEVEL"
            )
        return Tree(commit=commit, tree=tree, version=version)

    def changed(self) -> tuple[str, ...]:
        """The files of the work tree that are not as in the commit of HEAD.

        New files that git does not know do not count.
        """
        if self._place.work is None:
            return ()
        listed = self._text([*self._diff(), "--name-only", "-z", "HEAD", "--"])
        return tuple(filter(None, listed.split("\0")))

    def difference(self) -> str:
        """The same as a patch."""
        return self._text([*self._diff(), "--full-index", "HEAD", "--"])

    def between(self, good: str, bad: str) -> list[tuple[str, str]]:
        """Hash and subject of each commit after `good` up to `bad`, by first parents.

        Raises UserError for a `bad` that does not come after `good`.
        """
        text = self._text(
            [
                *("log", "--first-parent", f"--max-count={MOST_COMMITS + 1}", "-z"),
                *("--format=%H %P%n%s", "--end-of-options", f"{good}..{bad}"),
            ]
        )
        found = [entry.partition("\n") for entry in text.split("\0") if entry.strip()]
        lines = [(head.split(), subject) for head, _, subject in found]
        if len(lines) > MOST_COMMITS:
            raise UserError(
                f"{self.shown}: more than {MOST_COMMITS} commits between"
                f" {good[:12]} and {bad[:12]}"
            )
        if not lines or good not in lines[-1][0][1:2]:
            raise UserError(
                f"{self.shown}: {good[:12]} is not before {bad[:12]} on the line of"
                " first parents, so there is no range to search"
            )
        return [(words[0], printable(s)[:100]) for words, s in reversed(lines)]

    def write(
        self, commit: str, shell: Shell, target: Path, excludes: list[str]
    ) -> None:
        """Write the files of a commit to the new folder `target`.

        excludes : options of tar, for files below `linux`

        Raises UserError for a commit with too many or too large files, and for links
        that lead out of the folder.
        """
        self._require_size(commit)
        target.mkdir()
        words = ["archive", "--format=tar", "--prefix=linux/", commit]
        read = self._command(words)
        write = ["tar", "--extract", "--file=-", "--no-same-owner"]
        write += ["--strip-components=1", f"--directory={target}", *excludes]
        shell.run(write, self._view, self._variables(), source=read, alone=True)
        require_plain(target, f"commit {commit[:12]} of {self.shown}")

    def _require_size(self, commit: str) -> None:
        total = 0
        listed = self._output(["ls-tree", "-r", "-l", "-z", commit])
        for number, line in enumerate(listed.split(b"\0")):
            words = line.split(None, 4)
            total += int(words[3]) if len(words) > 3 and words[3].isdigit() else 0
            if number > MOST_FILES or total > MOST_TREE_BYTES:
                break
        else:
            return
        raise UserError(
            f"commit {commit[:12]} of {self.shown}: more than {MOST_FILES} files or"
            f" {MOST_TREE_BYTES >> 30} GiB, so this is not Linux"
        )

    def _diff(self) -> list[str]:
        return ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"]

    def _text(self, words: Sequence[str]) -> str:
        return self._output(words).decode(errors="replace")

    def _output(self, words: Sequence[str]) -> bytes:
        """Output of git, within the bounds. Raises GitFailedError."""
        out, said = self._view / "out", self._view / "said"
        with out.open("wb") as output, said.open("wb") as errors:
            done = subprocess.run(
                self._command(words),
                cwd=self._view,
                env=self._variables(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            )
        if done.returncode:
            with said.open("rb") as file:
                lines = file.read(1 << 16).decode(errors="replace").splitlines()
            if done.returncode < 0:
                lines = ["more than the bounds allow of time, memory or output"]
            raise GitFailedError(printable(lines[-1][:200]) if lines else "")
        return out.read_bytes()

    def _command(self, words: Sequence[str]) -> list[str]:
        program = require()
        seen: list[Path | str] = [*confined.SYSTEM, *confined.SETTINGS, *self._objects]
        if self._place.work is not None:
            seen.append(self._place.work)
        argv = [program, "--no-pager", *words]
        return barriers.command(argv, BOUNDS, seen, barriers.offered(), builds=True)

    def _variables(self) -> dict[str, str]:
        own = {
            "PATH": confined.path(),
            "GIT_DIR": str(self._view / "view"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(map(str, self._objects)),
        }
        if self._place.work is not None:
            own["GIT_WORK_TREE"] = str(self._place.work)
        return {**VARIABLES, **own}


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Repository]:
    """A repository on this machine: a folder with a work tree, or a bare one.

    Raises UserError, one line, for a folder that is none, and where git is missing.
    """
    require()
    shown = printable(str(path))
    place = git_view.folders(path, shown)
    with tempfile.TemporaryDirectory(prefix="mpbench-git-") as scratch:
        yield Repository(Path(scratch).resolve(), place, shown)


def require() -> str:
    """The path of git. Raises UserError, one line, if it is missing."""
    program = shutil.which("git", path=confined.path())
    if program is None:
        raise UserError("no git on this machine (Debian package git)")
    return program


def require_plain(folder: Path, shown: str) -> None:
    """Raise UserError for links that lead out of a folder, and for special files.

    Whoever writes into the folder afterwards stays in it.
    """
    top = folder.resolve()
    for where, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(where, name)
            reason = ""
            if path.is_symlink():
                try:
                    inside = path.resolve().is_relative_to(top)
                except (OSError, RuntimeError):
                    inside = False
                reason = "" if inside else "a link that leads out of the tree"
            elif not (path.is_dir() or path.is_file()):
                reason = "no plain file"
            if reason:
                inner = printable(str(path.relative_to(folder)))[:200]
                raise UserError(f"{shown}: {inner} is {reason}")


def _version(makefile: str) -> str | None:
    """`7.3.4` or `7.4.0-rc2`, from the Makefile of Linux; None if it has none."""
    head = "\n".join(makefile.splitlines()[:20])
    values = dict(re.findall(r"^([A-Z]+) *= *(\S*) *$", head, re.M))
    numbers = [values.get(name, "") for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    if not all(re.fullmatch(r"[0-9]{1,3}", number) for number in numbers):
        return None
    extra = values.get("EXTRAVERSION", "")
    known = extra if re.fullmatch(r"-rc[0-9]{1,2}", extra) else ""
    return ".".join(numbers) + known


def _why(error: GitFailedError) -> str:
    return f" ({error})" if str(error) else ""
