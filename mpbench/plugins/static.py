"""Declarations of a plug-in in Python, read from its text without running it."""

import ast
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.campaign.directions import WORDS
from analysis.run.patterns import NAME
from jobs.vocabulary import NUMBER_UNITS
from mpbench.errors import UserError
from mpbench.plugins.files import Plugin
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import FILE, MOST_KEYS, PROGRAM, TEXT
from mpbench.spec.suggestions import nearest
from mpbench.units import KINDS as UNITS

OURS = ("topologies",)
"""Packages of mpbench that a topology may import."""


@dataclass(frozen=True)
class Declared:
    """The names that a file gives to constants, and its functions."""

    constants: Mapping[str, tuple[int, Any]]
    functions: frozenset[str]


def declared(plugin: Plugin) -> Declared:
    """Read a file's top level.

    Raises UserError, `file:line: reason`, if it does not compile, or imports what a
    guest does not have.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(plugin.text)
            compile(tree, plugin.path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise UserError(f"{plugin.path}:{error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{plugin.path}:1: {error or 'too deeply nested'}") from None
    _check_imports(tree, plugin)
    constants: dict[str, tuple[int, Any]] = {}
    functions = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.add(node.name)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("KEYS", "NUMBERS", "GOOD", "RECEIVED", "SAMPLES", "SERIES"):
                constants[name] = (node.lineno, _literal(node, name, plugin))
    return Declared(constants, frozenset(functions))


def _literal(node: ast.Assign, name: str, plugin: Plugin) -> Any:
    try:
        return ast.literal_eval(node.value)
    except (ValueError, TypeError, MemoryError, RecursionError):
        reason = f"{name} is read without running the file; write it out: a dict of"
        raise UserError(
            f"{plugin.path}:{node.lineno}: {reason} texts and numbers"
        ) from None


def _check_imports(tree: ast.Module, plugin: Plugin) -> None:
    known = {*sys.stdlib_module_names}
    known |= set(OURS) if plugin.kind == "topologies" else set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
            if node.level:
                names = ["."]
        line = getattr(node, "lineno", 1)
        for name in names:
            if name.partition(".")[0] not in known:
                what = "the standard library alone"
                if plugin.kind == "topologies":
                    what = "the standard library and `topologies`"
                reason = f"imports '{shortened(name)}'; a plug-in can import {what}"
                raise UserError(f"{plugin.path}:{line}: {reason}")


def tool(plugin: Plugin) -> dict[str, Any]:
    """A tool: its text, the keys of its entries, and the units of its numbers."""
    found = declared(plugin)
    _need(plugin, found, "processes", "processes(entry, address)")
    _need(plugin, found, "read", "read(folder, entry)")
    line, keys = found.constants.get("KEYS", (1, {}))
    at = f"{plugin.path}:{line}: KEYS"
    if not isinstance(keys, dict) or len(keys) > MOST_KEYS:
        raise UserError(f"{at}: expected a dict such as {{'size': 'bytes'}}")
    for name, unit in keys.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise UserError(f"{at}: {shortened(name)!r} cannot be a key")
        if name in RESERVED:
            raise UserError(f"{at}: every entry has a key '{name}'; rename yours")
        _check_unit(at, name, unit, (*UNITS, "1", TEXT, PROGRAM, FILE))
    numbers = _numbers(plugin, found)
    lists = {
        name: of
        for name in ("samples", "series")
        if (of := _numbers(plugin, found, name.upper()))
    }
    good = _good(plugin, found, {**numbers, **lists.get("samples", {})})
    named = [*numbers, *(name for of in lists.values() for name in of)]
    line, received = found.constants.get("RECEIVED", (1, False))
    if not isinstance(received, bool):
        reason = "RECEIVED: expected True, if `read` returns what arrived"
        raise UserError(f"{plugin.path}:{line}: {reason}")
    for name in ({"received"} & {*named}) | {n for n in named if named.count(n) > 1}:
        reason = f"`read` returns '{name}' for something else; rename it"
        raise UserError(f"{plugin.path}:1: {reason}")
    declared_ = {"code": plugin.text, "keys": keys, "numbers": numbers, **good, **lists}
    return {**declared_, "received": True} if received else declared_


def metric(plugin: Plugin) -> dict[str, Any]:
    """A metric: its text, and the units of its numbers."""
    found = declared(plugin)
    _need(plugin, found, "read", "read(folder, job)")
    numbers = _numbers(plugin, found)
    if not numbers:
        raise UserError(f"{plugin.path}:1: no NUMBERS; write NUMBERS = {{'x': 'ms'}}")
    return {
        "code": plugin.text,
        "numbers": numbers,
        **_good(plugin, found, numbers),
    }


RESERVED = (
    *("tool", "from", "to", "name", "start", "transport", "port"),
    *("duration", "reverse", "file_limit"),
)


def _numbers(plugin: Plugin, found: Declared, of: str = "NUMBERS") -> dict[str, str]:
    line, numbers = found.constants.get(of, (1, {}))
    at = f"{plugin.path}:{line}: {of}"
    if not isinstance(numbers, dict) or len(numbers) > MOST_KEYS:
        raise UserError(f"{at}: expected a dict such as {{'delay': 'ms'}}")
    for name, unit in numbers.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise UserError(f"{at}: {shortened(name)!r} cannot be a column")
        _check_unit(at, name, unit, NUMBER_UNITS)
    return numbers


def _good(
    plugin: Plugin, found: Declared, numbers: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """The directions in which numbers are good, as `good`; empty without any."""
    line, good = found.constants.get("GOOD", (1, {}))
    at = f"{plugin.path}:{line}: GOOD"
    if not isinstance(good, dict):
        raise UserError(f"{at}: expected a dict such as {{'delay': 'less'}}")
    for name, word in good.items():
        if name not in numbers:
            hint = nearest(shortened(name), tuple(numbers))
            reason = f"{shortened(name)!r} is not among NUMBERS"
            raise UserError(f"{at}: {reason}; {hint}")
        if word not in WORDS:
            hint = nearest(shortened(word), WORDS)
            raise UserError(f"{at}: '{name}': no direction '{shortened(word)}'; {hint}")
    return {"good": good} if good else {}


def _check_unit(at: str, name: str, unit: object, known: tuple[str, ...]) -> None:
    if unit not in known:
        hint = nearest(shortened(unit), known)
        raise UserError(f"{at}: '{name}': no unit '{shortened(unit)}'; {hint}")


def _need(plugin: Plugin, found: Declared, name: str, how: str) -> None:
    if name not in found.functions:
        raise UserError(f"{plugin.path}:1: no function {name}; write `def {how}:`")
