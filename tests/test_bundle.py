"""The file of byte code that a run starts from, and what it need not compile."""

import json
import marshal
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mpbench.guest import start

REPOSITORY = Path(__file__).parents[1]
MAIN = r"""
import collections, dataclasses, ipaddress, json, re, sys, warnings

compiled = []

def note(event, told):
    if event == "compile":
        compiled.append(str(told[0]))

sys.addaudithook(note)
parse = re._parser.parse

def noting(pattern, *more):
    compiled.append(str(pattern))
    return parse(pattern, *more)

re._parser.parse = noting

@dataclasses.dataclass(frozen=True, order=True)
class Point:
    "With a docstring."
    abscissa: int = 0

Pair = collections.namedtuple("Pair", "abscissa ordinate")
WORD = re.compile(r"(?P<abscissa>[a-z])\w+", re.A)
WORD_BYTES = re.compile(rb"(?P<abscissa>[a-z])\w+", re.A)

def main():
    lazy = "ip_address" not in vars(ipaddress)
    warnings.warn("old", DeprecationWarning)
    print(json.dumps({
        "compiled": [text for text in compiled if "abscissa" in text],
        "lazy": lazy,
        "address": str(ipaddress.ip_address("10.0.0.1")),
        "point": repr(sorted([Point(2), Point(1)])[0]),
        "pair": Pair(1, ordinate=2),
        "words": [WORD.match("abc").group(1), str(WORD_BYTES.match(b"abc").group(1))],
        "file": __file__,
    }))
    return 3
"""


def bundled(**modules: str) -> start.Bundled:
    """A bundle of modules with this text."""
    entries: dict[str, start.Entry] = {}
    code = b""
    for name, text in modules.items():
        own = marshal.dumps(compile(text, name, "exec"))
        entries[name] = (f"/{name}.py", False, len(code), len(code) + len(own))
        code += own
    return start.Bundled(entries, {}, {}, memoryview(code))


def loaded(bundle: start.Bundled, name: str) -> Any:
    module = ModuleType(name)
    bundle.exec_module(module)
    return module


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """The code of guests, with MAIN in the place of what executes a run."""
    package = tmp_path / "code/mpbench/guest"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    for name in ("__init__.py", "start.py", "bundle.py"):
        shutil.copy(REPOSITORY / "mpbench/guest" / name, package)
    (package / "main.py").write_text(MAIN)
    (tmp_path / "code/tools").mkdir()
    shutil.copy(REPOSITORY / "tools/__init__.py", tmp_path / "code/tools")
    return tmp_path / "code"


def run(code: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-S", "-P", *words],
        cwd=code,
        env={"PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )


def test_a_bundle_needs_neither_compiler_nor_sources(code: Path) -> None:
    made = run(
        code,
        "-c",
        "from pathlib import Path; from mpbench.guest import bundle; "
        "bundle.ROOTS = ('mpbench.guest.main',); bundle.main(Path('code.pyc'))",
    )
    assert (made.returncode, made.stderr) == (0, "")
    shutil.rmtree(code / "mpbench")
    done = run(code, "code.pyc")
    assert (done.returncode, done.stderr) == (3, "")
    assert json.loads(done.stdout) == {
        "compiled": [],
        "lazy": True,
        "address": "10.0.0.1",
        "point": "Point(abscissa=1)",
        "pair": [1, 2],
        "words": ["a", "b'a'"],
        "file": str(code / "mpbench/guest/main.py"),
    }


@pytest.mark.parametrize(("name", "function"), list(start.COMPILERS.items()))
def test_a_text_that_the_bundle_knows_is_not_compiled(name: str, function: str) -> None:
    text = f"def value(text):\n    return {function}(text, {{'seen': seen}})\nseen = []"
    bundle = bundled(**{name: text})
    known = compile("seen.append('known')", "<string>", function)
    bundle.functions["seen.append(1)"] = marshal.dumps(known)
    module = loaded(bundle, name)
    module.value("seen.append(1)")
    module.value("seen.append(2)")
    assert module.seen == ["known", 2]


def test_a_pattern_that_the_bundle_does_not_know_is_compiled() -> None:
    bundle = bundled(**{start.PATTERNS: "def compile(p, flags=0): return p, flags"})
    bundle.patterns["[0-9]", 0] = ()
    module = loaded(bundle, start.PATTERNS)
    assert module.compile("[a-z]", 2) == ("[a-z]", 2)
    assert module.compile(["parsed"]) == (["parsed"], 0)


def test_an_interpreter_that_compiles_patterns_otherwise_is_left_alone() -> None:
    module = loaded(bundled(**{start.PATTERNS: "value = 1"}), start.PATTERNS)
    assert module.value == 1 and not hasattr(module, "compile")


def test_a_lazy_module_is_executed_once_when_it_is_asked() -> None:
    module = loaded(bundled(inspect="value = [1]"), "inspect")
    assert "value" not in vars(module)
    assert module.value is module.value
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = module.other


def test_a_lazy_module_without_the_attribute_says_so() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = loaded(bundled(inspect="value = 1"), "inspect").other
