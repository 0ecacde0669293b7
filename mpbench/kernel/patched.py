"""A work tree with a user's patches, made behind barriers of a finished one.

The patches may be a stranger's, and they can change what make executes. So `patch` and
make can write into a folder of their own alone (`confined`), and what comes out of it
is read only where it is a plain file. make sees the finished tree with its objects
below that folder, and compiles what the patches change. Where this machine cannot show
it there, the folder begins with a copy of it.

What make left stays for a while. A kernel whose patches begin with the same ones sees
it too, and compiles what its further patches change.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.words import many
from jobs.linux import Patch
from mpbench.kernel import barriers, cache, confined, git
from mpbench.kernel.barriers import Below, Bounds
from mpbench.kernel.faults import PATCHES, KernelFault
from mpbench.kernel.foreign import ForeignTree, is_plain, plain_result
from mpbench.kernel.recipe import Recipe
from mpbench.kernel.shell import CommandFailed, Shell
from mpbench.kernel.sources import Source
from mpbench.kernel.worktree import COMPLETE, Worktree, write_layer

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
NAME = "series"
STATE = "series.json"
KEPT = 4
"""Trees that stay for kernels with further patches, each of some 50 MB."""
RESULTS = (".config", "linux")
"""Files of the objects that are read."""


class PatchedTree:
    """The work tree of a kernel with patches, to be used under the cache's lock."""

    hostile = True

    def __init__(self, recipe: Recipe, base: Worktree | ForeignTree):
        self.folder = cache.root() / "work" / recipe.name.replace("guest", NAME, 1)
        self.tree = self.folder / "tree"
        self.objects = self.tree / base.objects.name
        self.below: Below | None = None
        """Trees that are seen below `tree`; None if `tree` has all."""
        self._recipe = recipe
        self._base = base
        self._state = self.folder / STATE

    def prepare(self, shell: Shell) -> None:
        """Begin with the finished tree, and apply the patches.

        Raises KernelFault, `PATCH: file, hunk, line`, for a patch that does not apply.
        """
        self.remove()
        self.folder.mkdir(parents=True)
        base = self._base.tree
        if self._base.hostile:
            git.require_plain(base, self._recipe.label)
        shared = 0
        if barriers.shows_below(self.folder.parent):
            shared = self._show()
        else:
            shell.run(["cp", "-a", str(base), str(self.tree)])
        layer = self.folder / "layer"
        patches = self._recipe.own.patches
        _write_patched(patches, layer, [base], shell)
        gone = []
        for name in sorted({n for p in patches[shared:] for n in files(p)}):
            target = self.tree / name
            target.unlink(missing_ok=True)
            if (layer / name).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(layer / name, target)
            else:
                gone.append(name)
        if gone and self.below is not None:
            argv = confined.command(["rm", "-f", *gone], BOUNDS, below=self.below)
            environment = confined.environment()
            shell.run(argv, cwd=self.tree, environment=environment, alone=True)

    def _show(self) -> int:
        """Let make see finished trees below this one.

        Returns the number of patches that they have already.
        """
        texts = [patch.text for patch in self._recipe.own.patches]
        found: list[tuple[int, list[Path]]] = [(0, [])]
        for about, tree in _kept():
            lower = [Path(path) for path in about["below"]]
            known = about["patches"] == texts[: len(about["patches"])]
            if known and about["base"] == self._made_of() and _are_there(lower):
                found.append((len(about["patches"]), [tree, *lower]))
        shared, trees = max(found)
        self.below = Below((*trees, self._base.tree), self.folder / "overlay")
        self.below.work.mkdir()
        self.objects.mkdir(parents=True)
        # make leaves a file alone that would not change, and results are read here.
        for name in RESULTS:
            paths = (tree / self.objects.name / name for tree in self.below.folders)
            present = next(filter(is_plain, paths), None)
            if present is not None:
                shutil.copy2(present, self.objects / name)
        return shared

    def _made_of(self) -> list[object]:
        """The finished tree, as it is."""
        state = self._base.folder / COMPLETE
        return [str(self._base.tree), state.read_text(), state.stat().st_mtime_ns]

    def keep(self) -> None:
        """Let kernels with further patches begin with what make left."""
        if self.below is None:
            self.remove()
            return
        barriers.remove_work(self.below.work)
        about = {
            "patches": [patch.text for patch in self._recipe.own.patches],
            "base": self._made_of(),
            "below": [str(path) for path in self.below.folders[:-1]],
        }
        self._state.write_text(json.dumps(about))
        dated = sorted(_kept(), key=lambda kept: kept[1].parent.stat().st_mtime_ns)
        for _, tree in dated[:-KEPT]:
            shutil.rmtree(tree.parent, ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder with all that make left."""
        barriers.remove_work(self.folder / "overlay")
        shutil.rmtree(self.folder, ignore_errors=True)

    def result(self, name: str) -> Path:
        """A file that make left. Raises UserError if it is no plain file."""
        return plain_result(self.objects, name)


def try_patches(recipe: Recipe, source: Source, hostile: bool, shell: Shell) -> None:
    """Apply a variant's patches to the files that they name, before anything compiles.

    recipe : the variant's, with its patches
    hostile : whether the source is a stranger's

    Raises KernelFault, `PATCH: file, hunk, line`, for a patch that does not apply.
    """
    if hostile:
        git.require_plain(source.tree, recipe.label)
    home = cache.root() / "work"
    home.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=home) as scratch:
        own = Path(scratch, "own")
        try:
            write_layer(recipe, source, own, shell)
        except CommandFailed:
            return  # mpbench's own patches do not apply, which the build says
        layer = Path(scratch, "layer")
        _write_patched(recipe.own.patches, layer, [own, source.tree], shell)


def _write_patched(
    patches: Sequence[Patch], layer: Path, places: Sequence[Path], shell: Shell
) -> None:
    """Write the files that patches name to a new folder, and apply the patches there.

    places : trees that have the files; the first that has one is taken
    """
    layer.mkdir()
    for name in sorted({n for patch in patches for n in files(patch)}):
        found = next(filter(Path.is_file, (tree / name for tree in places)), None)
        if found is not None:
            (layer / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, layer / name)
    for patch in patches:
        _apply(shell, patch, layer)
    _require_plain(layer)


def _kept() -> Iterator[tuple[dict[str, Any], Path]]:
    """Trees that are kept of earlier builds: how it was made, and where."""
    for state in (cache.root() / "work").glob(f"{NAME}-*/{STATE}"):
        about = cache.facts(state)
        if all(
            isinstance(about.get(key), list) for key in ("below", "patches", "base")
        ):
            yield about, state.parent / "tree"


def _are_there(trees: list[Path]) -> bool:
    return all((tree.parent / STATE).is_file() for tree in trees)


def files(patch: Patch) -> list[str]:
    """The files that a patch changes, makes or removes, relative to the tree.

    Raises KernelFault for a text that is no patch, or that names a file outside.
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
            raise KernelFault(PATCHES, {patch.name: reason})
        found.append(name)
    if not found:
        reason = "no patch: nothing in it names a file, as '--- a/net/mptcp/pm.c' does"
        raise KernelFault(PATCHES, {patch.name: reason})
    return list(dict.fromkeys(found))


def counted(patches: Sequence[Patch]) -> str:
    """The number of patches in words."""
    return many(len(patches), "patch", "patches")


def _apply(shell: Shell, patch: Patch, layer: Path) -> None:
    (layer / TEXT).write_text(patch.text)
    options = ["-p1", "--batch", "--forward", "--no-backup-if-mismatch", "-r", "-"]
    argv = confined.command(["patch", *options, "-i", TEXT], BOUNDS, builds=True)
    try:
        shell.run(argv, cwd=layer, environment=confined.environment(), alone=True)
    except CommandFailed as error:
        said = "\n".join(error.output)
        reason = f"does not apply: {_place(said)}; make it for this Linux"
        raise KernelFault(PATCHES, {patch.name: reason}) from None
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
            reason = f"the patches make {name}, which is no plain file"
            raise KernelFault(PATCHES, {"": reason})
