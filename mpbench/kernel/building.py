"""From a recipe to a kernel in the cache."""

import dataclasses
import json
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.kernel import (
    adopted,
    cache,
    compile,
    confined,
    kit,
    profiling,
    recipe,
    sources,
    tools,
)
from mpbench.kernel.cache import Kernel
from mpbench.kernel.foreign import ForeignTree
from mpbench.kernel.lock import exclusive
from mpbench.kernel.newest import Newest
from mpbench.kernel.patched import PatchedTree, counted
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import Recipe
from mpbench.kernel.shell import CommandFailed, Shell, logged
from mpbench.kernel.sources import Source
from mpbench.kernel.worktree import Worktree


def build(
    config: str,
    given: Path | None,
    jobs: int | None,
    force: bool,
    progress: Progress | None = None,
    train: profiling.Train | None = None,
    newest: Newest = Newest.NEVER,
) -> Kernel:
    """See `mpbench.kernel.build`."""
    wanted = recipe.read(config)
    plain = given is None and not force and newest is not Newest.ALWAYS
    guided = train is not None
    ready = _whole(wanted, guided) if plain else None
    if ready is not None:
        return cache.ask(ready)
    compiler = tools.require()
    output = progress or Progress()
    home = cache.root()
    with ExitStack() as stack:
        handle = stack.enter_context(exclusive(home, output.say))
        ready = _whole(wanted, guided) if plain else None
        if ready is not None:
            return cache.ask(ready)
        cache.remove_leftovers()
        if plain and not guided:
            ready = adopted.adopt(wanted, compiler, output)
            if ready is not None:
                return cache.ask(ready)
        tools.require_space(home)
        shell = stack.enter_context(
            logged(home, config, output.say, inherited=[handle.fileno()])
        )
        try:
            source = sources.obtain(given, shell, output, newest)
            key = cache.key(wanted, source.identity, compiler)
            maker = Maker(wanted, source, compiler, key, shell, output)
            number = jobs or len(os.sched_getaffinity(0))
            ready = None if force and not train else cache.get(key)
            if ready is None or not _has_kit(ready):
                ready = maker.make(number, force)
            if train is not None:
                cache.ask(ready)
                ready = None if force else cache.get(key + cache.GUIDED)
                if ready is None or not _has_kit(ready):
                    ready = maker.make_guided(number, train)
        except KeyboardInterrupt:
            output.say(f"interrupted; the log so far: {shell.log}")
            raise
        return cache.ask(ready)


def _whole(wanted: Recipe, guided: bool) -> Kernel | None:
    """The kernel in the cache; None if it lacks what controllers of users need.

    guided : whether a profile must have guided its optimisation
    """
    ready = cache.lookup(wanted)
    if ready is None or not _has_kit(ready) or (guided and not ready.guided):
        return None
    return ready


def _has_kit(ready: Kernel) -> bool:
    """Whether an archive for controllers of users was made, or need not be made.

    Only experiments' own kernel needs one. Of some kernels none can be made.
    """
    file = ready.folder / kit.NAME
    tried: bool | None = ready.info.get("kit")
    return ready.info["config"] != "guest" or tried is False or file.is_file()


class Maker:
    """One build: recipe, source, compiler, key, and where its output goes."""

    def __init__(
        self,
        wanted: Recipe,
        source: Source,
        compiler: str,
        key: str,
        shell: Shell,
        progress: Progress,
    ):
        self._recipe = wanted
        self._source = source
        self._compiler = compiler
        self._key = key
        self._shell = shell
        self._progress = progress

    def make(self, jobs: int, anew: bool) -> Kernel:
        start = time.monotonic()
        work = Worktree(self._recipe, self._source, self._compiler)
        with self._progress.step("prepare", f"Linux {self._source.version}"):
            try:
                fresh = work.prepare(self._shell, anew)
            except CommandFailed as error:
                if self._recipe.own.release is None:
                    raise
                raise self._does_not_fit(error) from error
        files = self._recipe.config.files if fresh else None
        try:
            with self._progress.step("configure", self._recipe.name):
                config = compile.configure(self._shell, work, self._recipe)
            with self._progress.step("build", f"with {jobs} jobs", files) as done:
                linux = compile.compile(self._shell, work, self._recipe, jobs, done)
        except CommandFailed as error:
            if (
                error.status > 0
            ):  # make was not killed, so every object file is complete
                work.keep()
            raise
        work.keep()
        return self._store(work, linux, config, time.monotonic() - start)

    def make_patched(self, work: PatchedTree, jobs: int, stripped: str) -> Kernel:
        """Compile what a user's patches change, behind barriers.

        stripped : name of the file without symbols, which `strip` makes there too
        """
        start = time.monotonic()
        what = counted(self._recipe.own.patches)
        with self._progress.step("patch", f"{what} on {self._source.version}"):
            work.prepare(self._shell)
        return self._make_confined(work, jobs, stripped, start)

    def make_foreign(self, work: ForeignTree, jobs: int, stripped: str) -> Kernel:
        """Compile a commit of a git repository, behind barriers; see `make_patched`."""
        start = time.monotonic()
        with self._progress.step("prepare", self._recipe.label):
            try:
                fresh = work.prepare(self._shell)
            except CommandFailed as error:
                raise self._does_not_fit(error) from error
        files = self._recipe.config.files if fresh else None
        made = self._make_confined(work, jobs, stripped, start, files)
        work.keep()
        return made

    def _does_not_fit(self, error: CommandFailed) -> UserError:
        return UserError(
            f"{self._recipe.label}: mpbench's patches for Linux do not apply:"
            f" {' '.join(error.lines)[:300]}"
        )

    def _make_confined(
        self,
        work: PatchedTree | ForeignTree,
        jobs: int,
        stripped: str,
        start: float,
        files: int | None = None,
    ) -> Kernel:
        with self._progress.step("configure", self._recipe.label):
            compile.configure(self._shell, work, self._recipe)
        with self._progress.step("build", f"with {jobs} jobs", files) as done:
            compile.compile(self._shell, work, self._recipe, jobs, done)
        linux, less = (f"{work.objects.name}/{name}" for name in ("linux", stripped))
        words = ["strip", "--strip-debug", "-o", less, linux]
        self._shell.run(
            compile.inside(work, words),
            cwd=work.tree,
            environment=confined.environment(),
            alone=True,
        )
        seconds = time.monotonic() - start
        return self._put(work.result(stripped), work.result(".config"), seconds)

    def _put(self, linux: Path, config: Path, seconds: float) -> Kernel:
        """Keep a variant's kernel, of which nothing but the program is needed."""
        new = self._new_folder()
        shutil.copyfile(linux, new / "linux")
        (new / "linux").chmod(0o755)
        shutil.copyfile(config, new / "config")
        info = self._info(new, seconds) | {"kit": False}
        return self._name(new, ["linux", "config", "build.log", "info.json"], info)

    def make_guided(self, jobs: int, train: profiling.Train) -> Kernel:
        """Compile a kernel that counts, train it, and compile it with the counts.

        Both are compiled in a tree of their own, which is removed in the end: each
        compiles all of its files again, because their flags differ.
        """
        start = time.monotonic()
        name = self._recipe.name + cache.GUIDED
        own = dataclasses.replace(self._recipe, name=name)
        work = Worktree(own, self._source, self._compiler)
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, work.folder, ignore_errors=True)
            with self._progress.step("prepare", "a tree for the profile"):
                fresh = work.prepare(self._shell, anew=False)
            files = self._recipe.config.files if fresh else profiling.NUMBER
            config = compile.configure(self._shell, work, own)
            with self._progress.step("build", "a kernel that counts", files) as done:
                words = profiling.counting_words()
                counting = compile.compile(self._shell, work, own, jobs, done, words)
            with (
                self._progress.step("train", "traffic in guests"),
                tempfile.TemporaryDirectory(prefix="mpbench-training-") as runs,
            ):
                profiling.keep(train(counting, Path(runs)), work.objects)
            number = profiling.NUMBER
            with self._progress.step("build", "with the counts", number) as done:
                words = profiling.using_words()
                linux = compile.compile(self._shell, work, own, jobs, done, words)
            seconds = time.monotonic() - start
            return self._store(work, linux, config, seconds, guided=True)

    def _store(
        self,
        work: Worktree,
        linux: Path,
        config: Path,
        seconds: float,
        guided: bool = False,
    ) -> Kernel:
        """Collect the files of a kernel in its folder."""
        new = self._new_folder()
        self._shell.run(
            ["strip", "--strip-debug", "-o", str(new / "linux"), str(linux)]
        )
        shutil.copyfile(config, new / "config")
        names = ["linux", "config", "build.log", "info.json"]
        if self._recipe.name == "guest":
            if kit.pack(self._shell, work.tree, work.objects, new / kit.NAME):
                names.append(kit.NAME)
            else:
                self._progress.say("controllers of users cannot be added to it")
        info = self._info(new, seconds) | {"kit": kit.NAME in names}
        info |= {"profile_guided": True} if guided else {}
        return self._name(new, names, info, guided)

    def _new_folder(self) -> Path:
        kernels = cache.root() / "kernels"
        kernels.mkdir(exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=cache.NEW, dir=kernels))
        new.chmod(0o755)
        return new

    def _name(
        self,
        new: Path,
        names: Sequence[str],
        info: dict[str, Any],
        guided: bool = False,
    ) -> Kernel:
        """Complete a new folder, and give it its name in one step."""
        kernels = new.parent
        (new / "info.json").write_text(json.dumps(info, indent=2) + "\n")
        shutil.copyfile(self._shell.log, new / "build.log")
        folder = kernels / (self._key + (cache.GUIDED if guided else ""))
        try:
            new.replace(folder)
        except (
            OSError
        ):  # the kernel exists and is built again, perhaps while guests run it
            for name in names:
                (new / name).replace(folder / name)
            new.rmdir()
        return Kernel(folder / "linux", self._key, folder, info)

    def _info(self, folder: Path, seconds: float) -> dict[str, Any]:
        return {
            "format": 1,
            "key": self._key,
            "config": self._recipe.name,
            "recipe": self._recipe.digest,
            "version": self._source.version,
            "source": self._source.origin,
            "source_hash": self._source.identity,
            "compiler": self._compiler,
            "config_hash": sources.file_identity(folder / "config"),
            "linux_hash": sources.file_identity(folder / "linux"),
            "size_bytes": (folder / "linux").stat().st_size,
            "built": datetime.now(UTC).isoformat(timespec="seconds"),
            "build_s": round(seconds, 1),
        }
