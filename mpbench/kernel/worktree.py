"""The tree that is compiled: Linux with ours laid over it, objects below it.

It stays in the cache, one a configuration, so that a change of the overlay
compiles only what depends on it. Its files are links to those of the unpacked
source, but for the layer: the files that are ours, and those that a patch
changes. A file of the layer is replaced only when its content changes.

`state.json` says what the tree holds. It is away while make runs: a tree that
has none was interrupted, its objects cannot be trusted, and it is made anew.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from mpbench.kernel import cache
from mpbench.kernel.recipe import Recipe
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

PATCHED = re.compile(r"^\+\+\+ [^/\s]+/(\S+)", re.M)


class Worktree:
    """The work tree of a configuration, to be used under the cache's lock."""

    def __init__(self, recipe: Recipe, source: Source, compiler: str):
        self.folder = cache.root() / "work" / recipe.name
        self.tree = self.folder / "tree"
        self.objects = self.tree / "objects"
        """Below the tree: only so all paths that make hands out are relative,
        and the kernel is the same wherever it is built."""
        self._recipe = recipe
        self._source = source
        self._made_of = {"source": source.folder.name, "compiler": compiler}
        self._state = self.folder / "state.json"
        self._layer: list[str] = []

    def prepare(self, shell: Shell, anew: bool) -> bool:
        """Bring the tree to what the recipe says; true if it has no objects yet."""
        before = {} if anew else _read(self._state)
        self._state.unlink(missing_ok=True)
        fresh = any(before.get(name) != value for name, value in self._made_of.items())
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            before = {} if anew else self._copy_sibling(shell)
            if not before:
                shell.run(["cp", "-al", str(self._source.tree), str(self.tree)])
                self.objects.mkdir()
        wanted = self._make_layer(shell)
        for name in set(before.get("layer", [])) - wanted.keys():
            self._restore(name)
        for name, path in wanted.items():
            _put(path, self.tree / name)
        self._layer = sorted(wanted)
        return fresh and not before

    def keep(self) -> None:
        """The objects are as make left them: they can be used again."""
        self._state.write_text(json.dumps({**self._made_of, "layer": self._layer}))

    def _copy_sibling(self, shell: Shell) -> dict[str, Any]:
        """Begin with another configuration's tree, if one is of the same source
        and compiler; make compiles again what the configuration changes.

        Returns that tree's state. Its objects are copied, for make may write into
        an object in place; the rest is linked.
        """
        for path in sorted(self.folder.parent.glob("*/state.json")):
            state = _read(path)
            if all(state.get(name) == value for name, value in self._made_of.items()):
                objects = path.parent / "tree" / self.objects.name
                shell.run(["cp", "-al", str(self._source.tree), str(self.tree)])
                for name in state["layer"]:
                    ours = self.tree / name
                    ours.unlink(missing_ok=True)
                    ours.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path.parent / "tree" / name, ours)
                shell.run(["cp", "-a", str(objects), str(self.objects)])
                return state
        return {}

    def _make_layer(self, shell: Shell) -> dict[str, Path]:
        """Ours and the patched files, in a folder of their own; by path."""
        layer = self.folder / "layer"
        shutil.rmtree(layer, ignore_errors=True)
        names = dict.fromkeys(
            name
            for patch in self._recipe.patches
            for name in PATCHED.findall(patch.read_text())
        )
        for name in names:
            if (self._source.tree / name).is_file():
                _put(self._source.tree / name, layer / name)
        for name, path in self._recipe.overlay.items():
            names[name] = None
            _put(path, layer / name)
        for patch in self._recipe.patches:
            options = ["-p1", "--batch", "--no-backup-if-mismatch", "-d", str(layer)]
            shell.run(["patch", *options, "-i", str(patch)])
        return {name: layer / name for name in names}

    def _restore(self, name: str) -> None:
        """Take a file out of the layer."""
        ours, theirs = self.tree / name, self._source.tree / name
        ours.unlink(missing_ok=True)
        if theirs.is_file():
            _put(theirs, ours)


def _read(state: Path) -> dict[str, Any]:
    """What a work tree holds; empty if make was interrupted in it."""
    try:
        found: dict[str, Any] = json.loads(state.read_text())
    except (OSError, ValueError):
        return {}
    return found


def _put(source: Path, target: Path) -> None:
    """Write source's content to target, never through a link of target's, and
    not at all if it is there already."""
    content = source.read_bytes()
    if target.is_file():
        if target.read_bytes() == content:
            return
        target.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(source.stat().st_mode & 0o777)
