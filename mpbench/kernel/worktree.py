"""The tree that is compiled: Linux with the overlay and the patches, and its objects.

The cache keeps one tree per configuration, so that a change of the overlay compiles
only the files that depend on it. Most files of the tree are links to those of the
unpacked source. The others are the layer: the files of the overlay, and the files
that a patch changes. A file of the layer is replaced only when its content changes.

`state.json` describes the content of the tree. It does not exist while make runs. A
tree without it was interrupted; its objects may be incomplete, so it is made again.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from mpbench.kernel import cache
from mpbench.kernel import recipe as recipes
from mpbench.kernel.recipe import PATCHED, Recipe
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

COMPLETE = "state.json"
"""The file of a work tree whose objects are complete."""


class Worktree:
    """The work tree of a configuration, to be used under the cache's lock."""

    hostile = False
    """Whether a user's patches are in it."""

    def __init__(self, recipe: Recipe, source: Source, compiler: str):
        self.folder = cache.root() / "work" / recipe.name
        self.tree = self.folder / "tree"
        self.objects = self.tree / "objects"
        """They lie below the tree. Only then are all of make's paths relative, and the
        kernel is the same wherever it is built."""
        self._recipe = recipe
        self._source = source
        self._made_of = {"source": source.folder.name, "compiler": compiler}
        self._state = self.folder / COMPLETE
        self._layer: list[str] = []

    def prepare(self, shell: Shell, anew: bool) -> bool:
        """Make the tree what the recipe says. Returns true if it has no objects yet."""
        before = {} if anew else read_state(self._state)
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
        """Note that the objects are complete, so that the next build uses them."""
        state = {**self._made_of, "layer": self._layer, "recipe": self._recipe.digest}
        self._state.write_text(json.dumps(state))

    @property
    def complete(self) -> bool:
        """Whether its objects are those of the present recipe."""
        state = read_state(self._state)
        wanted = {**self._made_of, "recipe": self._recipe.digest}
        return all(state.get(name) == value for name, value in wanted.items())

    def _copy_sibling(self, shell: Shell) -> dict[str, Any]:
        """Begin with the tree of another configuration, if source and compiler agree.

        make then compiles only what the configuration changes, so the tree with the
        most similar configuration is taken. Returns the state of that tree; empty if
        there is none. Its objects are copied, because make may write into an object in
        place. All other files are linked.
        """
        states = self.folder.parent.glob(f"*/{COMPLETE}")
        for path in sorted(states, key=lambda path: self._unlike(path.parent.name)):
            state = read_state(path)
            if "origin" in state:
                continue  # a stranger's make ran in it
            if all(state.get(name) == value for name, value in self._made_of.items()):
                objects = path.parent / "tree" / self.objects.name
                shell.run(["cp", "-al", str(self._source.tree), str(self.tree)])
                for name in state["layer"]:
                    target = self.tree / name
                    target.unlink(missing_ok=True)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path.parent / "tree" / name, target)
                shell.run(["cp", "-a", str(objects), str(self.objects)])
                return state
        return {}

    def _unlike(self, other: str) -> tuple[int, str]:
        """The number of files of options in which another configuration differs."""
        config = recipes.CONFIGS.get(other)
        fragments = config.fragments if config else ()
        return len(set(fragments) ^ set(self._recipe.config.fragments)), other

    def _make_layer(self, shell: Shell) -> dict[str, Path]:
        """Write the overlay and the patched files to a separate folder; by path."""
        return write_layer(self._recipe, self._source, self.folder / "layer", shell)

    def _restore(self, name: str) -> None:
        """Replace a file that is no longer in the layer by that of the source."""
        target, source = self.tree / name, self._source.tree / name
        target.unlink(missing_ok=True)
        if source.is_file():
            _put(source, target)


def write_layer(
    recipe: Recipe, source: Source, layer: Path, shell: Shell
) -> dict[str, Path]:
    """Write the overlay and the patched files to the folder `layer`; by path."""
    shutil.rmtree(layer, ignore_errors=True)
    names = dict.fromkeys(
        name for patch in recipe.patches for name in PATCHED.findall(patch.read_text())
    )
    for name in names:
        if (source.tree / name).is_file():
            _put(source.tree / name, layer / name)
    for name, path in recipe.overlay.items():
        names[name] = None
        _put(path, layer / name)
    for patch in recipe.patches:
        options = ["-p1", "--batch", "--no-backup-if-mismatch", "-d", str(layer)]
        shell.run(["patch", *options, "-i", str(patch)])
    return {name: layer / name for name in names}


def read_state(state: Path) -> dict[str, Any]:
    """The state of a work tree; empty if make was interrupted in it."""
    content = cache.facts(state)
    layer = content.get("layer", [])
    whole = isinstance(layer, list) and all(isinstance(name, str) for name in layer)
    return content if whole else {}


def _put(source: Path, target: Path) -> None:
    """Write the source's content to the target, unless the target has it already.

    The target may be a link to a file of the cached source, so it is replaced and not
    written to.
    """
    content = source.read_bytes()
    if target.is_file():
        if target.read_bytes() == content:
            return
        target.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(source.stat().st_mode & 0o777)
