"""Mutants of Python, by its syntax tree, and the runner that imports them.

A mutant is never written to a file. A child process forgets the project's modules, and
imports the mutant's text in the place of its file; libraries stay imported.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.mutant import Mutant, became, bounded
from tests.mutants.reached import Chosen, Reached, Recorder, load
from tests.mutants.targets import ROOT, Target

OWN = ("analysis", "jobs", "mpbench", "tests", "tools", "topologies", "wsp")
"""Packages that may have imported what a mutant changes."""
FAILED = 1
"""The exit status of pytest if a test fails."""
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
}
_OPPOSITE = {"min": "max", "max": "min", "any": "all", "all": "any"}
FLOAT_FACTORS = (1.25, 0.8)


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its lines.

    - comparisons: one that lets equal values in or out, and the opposite of ==, is, in
    - constants: one more and one less; of fractions, a quarter more and a fifth less
    - and for or, min for max, any for all, + for -, * for /
    - conditions without their `not`
    """
    tree = ast.parse(source)
    lines = source.split("\n")
    found = set()
    for node in ast.walk(tree):
        for line, column, operator, before, after in _of_node(node, lines):
            text = lines[line - 1].strip()
            found.add(Mutant(file, line, column, operator, before, after, text))
    yield from sorted(found, key=lambda m: (m.line, m.column, m.operator))


Change = tuple[int, int, str, str, str]


def _of_node(node: ast.AST, lines: Sequence[str]) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=operators, comparators=comparators):
            ends = [left, *comparators]
            for before, operator, after in zip(ends, operators, ends[1:], strict=False):
                if signs := _COMPARISONS.get(type(operator)):
                    yield from _between(before, after, lines, "comparison", *signs)
        case ast.BoolOp(op=joint, values=values):
            signs = ("and", "or") if isinstance(joint, ast.And) else ("or", "and")
            for before, after in itertools.pairwise(values):
                yield from _between(before, after, lines, "logic", *signs)
        case ast.BinOp(left=left, op=sign, right=right):
            if signs := _ARITHMETIC.get(type(sign)):
                yield from _between(left, right, lines, "arithmetic", *signs)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            if node.lineno == operand.lineno:
                yield node.lineno, node.col_offset, "logic", "not ", ""
        case ast.Call(func=ast.Name(id=name)) if name in _OPPOSITE:
            function = node.func
            place = function.lineno, function.col_offset
            yield *place, "bound", name, _OPPOSITE[name]
        case ast.Constant(value=bool() | str() | bytes() | None):
            return
        case ast.Constant(value=int(number)):
            yield from _number(node, lines, (str(number + 1), str(number - 1)))
        case ast.Constant(value=float(number)):
            texts = tuple(repr(number * factor) for factor in FLOAT_FACTORS)
            yield from _number(node, lines, texts if number else ("0.5",))


def _number(
    node: ast.Constant, lines: Sequence[str], others: Sequence[str]
) -> Iterator[Change]:
    if node.lineno != node.end_lineno:
        return
    before = lines[node.lineno - 1][node.col_offset : node.end_col_offset]
    for name, after in zip(("more", "less"), others, strict=False):
        yield node.lineno, node.col_offset, name, before, after


def _between(
    before: ast.expr,
    after: ast.expr,
    lines: Sequence[str],
    operator: str,
    sign: str,
    other: str,
) -> Iterator[Change]:
    """The operator between two operands, if it is on the line of either."""
    if before.end_lineno is None or before.end_col_offset is None:
        return
    first, begin = before.end_lineno, before.end_col_offset
    if after.lineno == first:
        found = lines[first - 1].find(sign, begin, after.col_offset)
        place = first, found
    else:  # formatted code breaks lines before an operator
        found = lines[after.lineno - 1].rfind(sign, 0, after.col_offset)
        place = after.lineno, found
    if found >= 0:
        yield *place, operator, sign, other


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a text in the place of its file."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), vars(module))


class Runner:
    """Runs a target's tests with a mutant, in a child of this process.

    A mutant is tried with the tests that reach its line, and with all tests only if
    these pass: a test may use what another one has computed.

    reached : the tests of each line, which `attempt(None)` finds out
    """

    def __init__(
        self, target: Target, folder: Path, reached: Reached | None = None
    ) -> None:
        self.target, self.folder, self.reached = target, folder, reached or {}

    def elsewhere(self, folder: Path) -> "Runner":
        return Runner(self.target, folder, self.reached)

    def attempt(self, mutant: Mutant | None) -> str:
        """found or survived; equal if the byte code is that of the original."""
        if mutant is None:
            return self._baseline()
        path = ROOT / mutant.file
        original = path.read_text(encoding="utf-8")
        changed = mutant.of(original)
        if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(original)):
            return "equal"
        name = mutant.file.removesuffix(".py").replace("/", ".")
        instead = _Instead(name.removesuffix(".__init__"), path, changed)
        nearest = self.reached.get((str(path), mutant.line))
        if nearest and self._forked(instead, nearest) == "found":
            return "found"
        return self._forked(instead, None)

    def _baseline(self) -> str:
        lines = self.folder / "reached.json"
        recorder = Recorder(self.target.files())
        child = os.fork()
        if not child:
            recorder.start()
            status = self._in_child(None, self.target.tests, [recorder])
            recorder.save(lines)
            os._exit(status)
        result = became(child, self.target.cpu_s)
        if result == "survived":
            self.reached = load(lines)
        return result

    def _forked(self, instead: _Instead, nearest: frozenset[str] | None) -> str:
        child = os.fork()
        if child:
            return became(child, self.target.cpu_s)
        if nearest is None:
            os._exit(self._in_child(instead, self.target.tests, []))
        files = [t for t in self.target.tests if _any_of(t, nearest)]
        os._exit(self._in_child(instead, files, [Chosen(nearest)]))

    def _in_child(
        self, instead: _Instead | None, tests: Sequence[str], plugins: list[object]
    ) -> int:
        bounded(self.target.cpu_s)
        flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
        output = os.open(self.folder / "pytest.log", flags)
        os.dup2(output, sys.stdout.fileno())
        os.dup2(output, sys.stderr.fileno())
        for name in list(sys.modules):
            if name.split(".")[0] in OWN:
                del sys.modules[name]
        if instead:
            sys.meta_path.insert(0, instead)
        argv = ["-x", "-q", "-p", "no:cacheprovider", "--no-header"]
        argv += [f"--basetemp={self.folder / 'tests'}", f"--rootdir={ROOT}"]
        argv += [f"--deselect={each}" for each in self.target.without]
        try:
            return int(pytest.main([*argv, *(str(ROOT / t) for t in tests)], plugins))
        except BaseException:  # whatever a mutant does, it does not come back
            return FAILED


def _any_of(tests: str, chosen: frozenset[str]) -> bool:
    """Whether a folder, a file, or a single function of it, has one of some tests."""
    begins = tuple(f"{tests}{sign}" for sign in ("/", "::", "["))
    return any(each == tests or each.startswith(begins) for each in chosen)
