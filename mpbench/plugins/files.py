"""The files of plug-ins: those that an experiment names, and those of packages."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.spec import text_files
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import (
    KEY,
    MOST_BYTES,
    NAME,
    PROGRAMS,
    STORED,
    SUFFIXES,
)
from mpbench.spec.suggestions import nearest

SETTINGS = "mpbench.toml"
GROUPS = ("topologies", "tools")
"""Kinds that installed packages can have too, as entry points `mpbench.KIND`."""
MOST_FILES = 100


@dataclass(frozen=True)
class Plugin:
    """One file.

    name : the name of the file without its suffix, which experiment files use
    path : the file as messages name it
    place : where the experiment file, or `mpbench.toml`, names it
    """

    kind: str
    name: str
    path: str
    text: str
    place: str


def named(document: Document, folder: Path) -> list[Plugin]:
    """The plug-ins that an experiment file names, or an `mpbench.toml` beside it.

    folder : the folder of the file, to which paths are relative

    Raises UserError, one line, for what is no such file.
    """
    found: list[Plugin] = []
    given = document.values.get(KEY)
    if given is not None:
        where = document.where((KEY,))
        if not isinstance(given, dict):
            raise UserError(f"{where}: {KEY}: expected e.g. {{tools: tools/NAME.py}}")
        elsewhere = (STORED, PROGRAMS)
        kinds = [kind for kind in given if kind not in elsewhere]
        places = {kind: document.where((KEY, kind)) for kind in kinds}
        found += _of(given, places, folder)
    settings = folder / SETTINGS
    if settings.is_file():
        known = _settings(settings)
        others = [kind for kind in known if kind != PROGRAMS]
        found += _of(known, dict.fromkeys(others, f"{settings}:1"), folder)
    seen: dict[tuple[str, str], Plugin] = {}
    for plugin in found:
        first = seen.setdefault((plugin.kind, plugin.name), plugin)
        if first.path != plugin.path:
            reason = f"'{plugin.name}' is {first.path} already; rename one of them"
            raise UserError(f"{plugin.place}: {KEY}: {plugin.path}: {reason}")
    return list(seen.values())


def named_programs(document: Document, folder: Path) -> Iterator[tuple[Any, str]]:
    """Values of `programs` and their places: of `mpbench.toml`, and of the file."""
    settings = folder / SETTINGS
    if settings.is_file() and PROGRAMS in (kinds := _settings(settings)):
        yield kinds[PROGRAMS], f"{settings}:1"
    given = document.values.get(KEY)
    if isinstance(given, dict) and PROGRAMS in given:
        yield given[PROGRAMS], document.where((KEY, PROGRAMS))


def _settings(file: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(_text(file, f"{file}:1"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}:1: not TOML: {error}") from None
    for key in content:
        if key != KEY:
            hint = f"unknown key; only [{KEY}] is known"
            raise UserError(f"{file}:1: {shortened(key)}: {hint}")
    kinds = content.get(KEY, {})
    if not isinstance(kinds, dict):
        raise UserError(f"{file}:1: {KEY}: expected a table: [{KEY}]")
    return kinds


def _of(
    kinds: Mapping[str, Any], places: Mapping[str, str], folder: Path
) -> Iterator[Plugin]:
    for kind, place in places.items():
        if kind not in SUFFIXES:
            hint = nearest(str(kind), (*SUFFIXES, PROGRAMS))
            reason = f"no kind '{shortened(kind)}'; {hint}"
            raise UserError(f"{place}: {KEY}: {reason}")
        value = kinds[kind]
        for name in value if isinstance(value, list) else [value]:
            if not isinstance(name, str) or not name:
                reason = "expected the name of a file or folder, or a list of names"
                raise UserError(f"{place}: {KEY}.{kind}: {reason}")
            for path in _files(name, kind, place, folder):
                yield _plugin(kind, path, place)


def _files(name: str, kind: str, place: str, folder: Path) -> list[Path]:
    """The files of a name. A file outside the folder must be named as such."""
    path = folder / name
    suffix = SUFFIXES[kind]
    try:
        if path.is_dir():
            files = sorted(p for p in path.glob(f"*{suffix}") if p.name[0] not in "._")
            if not files:
                raise UserError(
                    f"{place}: {KEY}.{kind}: {shortened(name)}: no *{suffix} there"
                )
        else:
            files = [path]
        for file in files[:MOST_FILES]:
            at = f"{place}: {KEY}.{kind}: {shortened(file)}"
            text_files.held(folder, name, file, at)
    except (OSError, RuntimeError, ValueError):
        reason = "no file can have this name; name another file"
        raise UserError(f"{place}: {KEY}.{kind}: {shortened(name)}: {reason}") from None
    if len(files) > MOST_FILES:
        reason = f"{len(files)} files; at most {MOST_FILES} work"
        raise UserError(f"{place}: {KEY}.{kind}: {shortened(name)}: {reason}")
    return files


def _plugin(kind: str, path: Path, place: str) -> Plugin:
    suffix = SUFFIXES[kind]
    at = f"{place}: {KEY}.{kind}: {shortened(path, 200)}"
    if path.suffix != suffix:
        raise UserError(f"{at}: not a file *{suffix}, as {kind} are")
    if not NAME.fullmatch(path.stem):
        reason = "its name cannot be used; up to 15 small letters, digits and '_' work"
        raise UserError(f"{at}: {reason}, with a letter first")
    return Plugin(kind, path.stem, str(path), _text(path, at), place)


def _text(path: Path, at: str) -> str:
    return text_files.read(path, at, MOST_BYTES, "divide it")


def installed(kind: str, name: str, place: str) -> Plugin | None:
    """The plug-in of an installed package; None if no package has one of this name.

    The package's file is read and not imported.
    """
    if kind not in GROUPS:
        return None
    from importlib import metadata

    for entry in metadata.entry_points(group=f"mpbench.{kind}", name=name):
        wanted = entry.module.replace(".", "/") + ".py"
        for file in (entry.dist.files or ()) if entry.dist else ():
            if file.as_posix() == wanted:
                path = Path(str(file.locate()))
                at = f"{place}: {KEY}.{kind}: {path}"
                return Plugin(kind, name, str(path), _text(path, at), place)
        reason = f"the package's entry point names {entry.module}, which has no file"
        raise UserError(f"{place}: '{name}': {reason}")
    return None
