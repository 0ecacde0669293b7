"""From the section `plugins:` of a file to what the plug-ins hold."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.plugins import files, in_box, kernel_code, programs, static
from mpbench.plugins.files import Plugin
from mpbench.spec import builtin
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import KEY, NAME, PROGRAMS, STORED, SUFFIXES
from mpbench.spec.values import OneOf
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, METRICS, SCHEDULERS, TOOLS

BUILT_IN = {
    "topologies": builtin.names(),
    "tools": (*TOOLS, "plugin"),
    "metrics": (*METRICS, *TOOLS),
    "controllers": (*CONGESTION_CONTROLS, *SCHEDULERS),
    "schedulers": (*CONGESTION_CONTROLS, *SCHEDULERS),
}


def collected(document: Document, folder: Path | None, trusted: bool) -> Document:
    """The document with what its plug-ins hold in place of their files' names.

    folder : the folder of the file; None for the file of a results folder, which holds
        its plug-ins and names no files
    trusted : whether topologies may run on this machine instead of in a guest, and
        whether gcc may compile controllers where nothing confines it

    No code of a plug-in runs here without `trusted`. Raises UserError, one line.
    """
    given = document.values.get(KEY)
    stored = given.get(STORED, {}) if isinstance(given, dict) else {}
    if not isinstance(stored, dict):
        raise UserError(f"{document.where((KEY,))}: {KEY}: expected names of files")
    if folder is None:
        others = [kind for kind in given if kind != STORED] if given else []
        if others:
            where = document.where((KEY, others[0]))
            reason = "results hold their plug-ins and name no files"
            raise UserError(f"{where}: {KEY}.{shortened(others[0])}: {reason}")
        return document
    found = files.named(document, folder)
    found += _of_packages(document, found, stored)
    named = list(files.named_programs(document, folder))
    own: dict[str, Any] = dict(stored.get(PROGRAMS) or {})
    for value, place in named:
        own |= programs.described(value, place, folder)
    boxed = in_box.described(document, own)
    if not found and not named and not boxed:
        return document
    for plugin in found:
        if plugin.name in BUILT_IN[plugin.kind]:
            reason = f"'{plugin.name}' is the name of one of mpbench's; rename the file"
            raise UserError(f"{plugin.place}: {KEY}: {plugin.path}: {reason}")
    _check_topology(document, found)
    kinds: dict[str, dict[str, Any]] = {
        kind: dict(stored.get(kind) or {}) for kind in SUFFIXES
    }
    kinds[PROGRAMS] = own | boxed
    for plugin in found:
        if plugin.kind == "topologies" and plugin.name != document.values.get(
            "topology"
        ):
            static.declared(plugin)  # not used, so that it need not run
            continue
        kinds[plugin.kind][plugin.name] = _content(plugin, trusted)
    wanted = {kind: of for kind, of in kinds.items() if of}
    values = {**document.values, KEY: {STORED: wanted}}
    lines = {**document.lines, (KEY,): document.line((KEY,))}
    return replace(document, values=values, lines=lines)


def _check_topology(document: Document, found: list[Plugin]) -> None:
    """Raises UserError for a topology that neither mpbench nor a file has."""
    own = [plugin.name for plugin in found if plugin.kind == "topologies"]
    name = document.values.get("topology")
    if name is None or not own:
        return
    try:
        OneOf("topology", (*own, *BUILT_IN["topologies"])).check(name)
    except ValueError as error:
        where = document.where(("topology",))
        raise UserError(f"{where}: topology: {error}") from None


def _content(plugin: Plugin, trusted: bool) -> Any:
    if plugin.kind == "tools":
        return static.tool(plugin)
    if plugin.kind == "metrics":
        return static.metric(plugin)
    if plugin.kind in ("controllers", "schedulers"):
        return kernel_code.checked(plugin, trusted)
    from mpbench.plugins import topology  # what boots guests takes long to load

    return topology.described(plugin, trusted)


def _of_packages(
    document: Document, found: list[Plugin], stored: dict[str, Any]
) -> Iterator[Plugin]:
    """The plug-ins of installed packages that the file uses."""
    traffic = document.values.get("traffic")
    wanted: list[tuple[str, Any, str]] = [
        ("topologies", document.values.get("topology"), document.where(("topology",)))
    ]
    for index, entry in enumerate(traffic if isinstance(traffic, list) else ()):
        if isinstance(entry, dict):
            where = document.where(("traffic", index))
            wanted.append(("tools", entry.get("tool"), where))
    seen: set[tuple[str, str]] = set()
    for kind, name, where in wanted:
        known: Collection[str] = BUILT_IN[kind]
        here = {plugin.name for plugin in found if plugin.kind == kind}
        if not isinstance(name, str) or name in known or name in here:
            continue
        if name in (stored.get(kind) or {}) or (kind, name) in seen:
            continue
        seen.add((kind, name))
        if NAME.fullmatch(shortened(name)):
            plugin = files.installed(kind, name, where)
            if plugin is not None:
                yield plugin
