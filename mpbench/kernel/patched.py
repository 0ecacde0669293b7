"""A work tree with a user's patches: a copy of a finished one, made behind barriers.

The patches may be a stranger's, and they can change what make executes. So `patch` and
make see the copy alone (`confined`), no file of it is a link into the cache, and what
comes out of it is read only where it is a plain file. The copy begins with the objects
of the tree without the patches, so that make compiles what they change.
"""

import re
import shutil
from pathlib import Path

from jobs.linux import Patch
from mpbench.errors import UserError
from mpbench.kernel import cache, confined, git
from mpbench.kernel.barriers import Bounds
from mpbench.kernel.foreign import ForeignTree, plain_result
from mpbench.kernel.recipe import Recipe
from mpbench.kernel.shell import CommandFailed, Shell
from mpbench.kernel.worktree import Worktree

NAMED = re.compile(r"^(?:---|\+\+\+|rename from|rename to) +([^\t\n]+)", re.M)
"""The files that a patch names."""
FILE = re.compile(r"[A-Za-z0-9_.,+-]+(?:/[A-Za-z0-9_.,+-]+)*")
HUNK = re.compile(r"^Hunk #(\d+) FAILED at (\d+)", re.M)
PART = re.compile(r"^(?:checking|patching) file '?([^'\n]+?)'?(?: \(.*\))?$", re.M)
OF = re.compile(r"^(\d+) out of (\d+) hunks? (?:FAILED|ignored)", re.M)
MIB = 1 << 20
BOUNDS = Bounds(
    file_bytes=16 * MIB, memory_bytes=16 * MIB, address_bytes=512 * MIB, cpu_s=60
)
TEXT = "own.patch"


class PatchedTree:
    """The work tree of a kernel with patches, to be used under the cache's lock."""

    hostile = True

    def __init__(self, recipe: Recipe, base: Worktree | ForeignTree):
        self.folder = cache.root() / "work" / recipe.name
        self.tree = self.folder / "tree"
        self.objects = self.tree / base.objects.name
        self._recipe = recipe
        self._base = base

    def prepare(self, shell: Shell) -> None:
        """Copy the finished tree, and apply the patches.

        Raises UserError, `PATCH: file, hunk, line`, for a patch that does not apply.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        shell.run(["cp", "-a", str(self._base.tree), str(self.tree)])
        if self._base.hostile:
            git.require_plain(self.tree, self._recipe.label)
        layer = self.folder / "layer"
        names = sorted({n for p in self._recipe.own.patches for n in files(p)})
        for name in names:
            if (self.tree / name).is_file():
                (layer / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.tree / name, layer / name)
        layer.mkdir(exist_ok=True)
        for patch in self._recipe.own.patches:
            _apply(shell, patch, layer)
        _require_plain(layer)
        for name in names:
            target = self.tree / name
            target.unlink(missing_ok=True)
            if (layer / name).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(layer / name, target)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def result(self, name: str) -> Path:
        """A file that make left. Raises UserError if it is no plain file."""
        return plain_result(self.objects, name)


def files(patch: Patch) -> list[str]:
    """The files that a patch changes, makes or removes, relative to the tree.

    Raises UserError for a text that is no patch, or that names a file outside.
    """
    found = []
    for line in NAMED.findall(patch.text):
        word = line.strip()
        if word == "/dev/null" or word == "--":
            continue
        name = re.sub(r"^[ab]/", "", word)
        parts = name.split("/")
        if not FILE.fullmatch(name) or ".." in parts or "." in parts:
            reason = f"names the file {word[:80]!r}, which lies in no tree of Linux"
            raise UserError(f"{patch.name}: {reason}")
        found.append(name)
    if not found:
        reason = "no patch: nothing in it names a file, as '--- a/net/mptcp/pm.c' does"
        raise UserError(f"{patch.name}: {reason}")
    return list(dict.fromkeys(found))


def _apply(shell: Shell, patch: Patch, layer: Path) -> None:
    (layer / TEXT).write_text(patch.text)
    options = ["-p1", "--batch", "--forward", "--no-backup-if-mismatch", "-r", "-"]
    argv = confined.command(["patch", *options, "-i", TEXT], BOUNDS, builds=True)
    try:
        shell.run(argv, cwd=layer, environment=confined.environment(), alone=True)
    except CommandFailed as error:
        said = "\n".join(error.output)
        raise UserError(f"{patch.name}: does not apply: {_place(said)}") from None
    finally:
        (layer / TEXT).unlink(missing_ok=True)


def _place(said: str) -> str:
    """File, hunk and line at which a patch did not apply, from what `patch` said."""
    found = PART.split(said)
    for name, about in zip(found[1::2], found[2::2], strict=True):
        hunk, number = HUNK.search(about), OF.search(about)
        if hunk:
            of = f" of {number[2]}" if number else ""
            return f"{name}, hunk {hunk[1]}{of}, at line {hunk[2]}"
        if number:
            return f"{name}, {number[1]} of {number[2]} hunks"
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "`patch` says no reason"


def _require_plain(layer: Path) -> None:
    for path in layer.rglob("*"):
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            name = path.relative_to(layer)
            raise UserError(f"the patches make {name}, which is no plain file")
