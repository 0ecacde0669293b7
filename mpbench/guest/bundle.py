"""Put all the Python of a run into one file of byte code: `python3 bundle.py FILE`.

A system call in a guest costs ten microseconds or more. The import of a module needs
about twenty calls, to look for the module along the path and to open, measure and read
its file. So the modules that a run imports are gathered once, outside the guest, into
one file that `python3 FILE` runs. It begins with the byte code of `start.py`. An index
follows, and then the modules. The index also has what the imports compile: functions
from text, and regular expressions. The interpreter that will run the file must make it.
"""

import builtins
import importlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType
from typing import Any

import tools
from mpbench.guest import start

ROOTS = (
    "mpbench.guest.main",
    *(f"tools.{name}.{part}" for name in tools.ALL for part in ("processes", "record")),
    "jobs",
    "jobs.entries",
    "topologies",
)
"""The modules that a run may import. A package stands for all modules in it."""


def _import_roots() -> None:
    for root in ROOTS:
        module = importlib.import_module(root)
        for folder in getattr(module, "__path__", ()):
            for file in sorted(Path(folder).glob("*.py")):
                if file.stem != "__init__":
                    importlib.import_module(f"{root}.{file.stem}")


def _code(spec: ModuleSpec) -> CodeType | None:
    """The module's byte code; None if it has none or is built into the interpreter."""
    if not (spec.origin or "").endswith(".py"):
        return None
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(spec.name) if get_code else None
    return code if isinstance(code, CodeType) else None


def _modules() -> Iterator[tuple[str, str, bool, bytes]]:
    """The name, file and byte code of each module, and whether it is a package."""
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        code = _code(spec) if spec and spec.name == name != "__main__" else None
        if spec and spec.origin and code:
            package = spec.submodule_search_locations is not None
            yield name, spec.origin, package, marshal.dumps(code)


class Noted:
    """Functions from text, and regular expressions, that are compiled from now on."""

    def __init__(self) -> None:
        self.functions: dict[str, bytes] = {}
        self.patterns: dict[start.Pattern, tuple[Any, ...]] = {}
        self._made: tuple[Any, ...] | None = None
        for name, builtin in start.COMPILERS.items():
            setattr(importlib.import_module(name), builtin, self._noting(builtin))
        compiler: Any = sys.modules.get(start.PATTERNS)
        maker: Any = sys.modules.get("_sre")
        if hasattr(compiler, "compile") and hasattr(maker, "compile"):
            self._usual, self._make = compiler.compile, maker.compile
            compiler.compile, maker.compile = self._note_pattern, self._note_made

    def _noting(self, builtin: str) -> Callable[..., Any]:
        def execute(text: str, *scope: Any) -> Any:
            code = compile(text, "<string>", builtin, dont_inherit=True)
            self.functions[text] = marshal.dumps(code)
            return getattr(builtins, builtin)(code, *scope)

        return execute

    def _note_pattern(self, pattern: Any, flags: int = 0) -> Any:
        self._made = None
        compiled = self._usual(pattern, flags)
        if self._made and isinstance(pattern, (str, bytes)):
            self.patterns[pattern, int(flags)] = self._made
        return compiled

    def _note_made(
        self, pattern: Any, flags: int, code: list[int], *groups: Any
    ) -> Any:
        # Marshal takes integers, and nothing derived from them.
        self._made = (pattern, int(flags), [*map(int, code)], *groups)
        return self._make(pattern, flags, code, *groups)


def main(target: Path) -> None:
    """Write the bundle. `target` is replaced only when the bundle is complete."""
    noted = Noted()
    _import_roots()
    entries: dict[str, start.Entry] = {}
    code = bytearray()
    for name, file, package, its_code in _modules():
        entries[name] = (file, package, len(code), len(code) + len(its_code))
        code += its_code
    index = marshal.dumps((entries, noted.functions, noted.patterns))
    lines = Path(start.__file__).read_text()
    lines += f"\nrun(__file__, {len(index)}, {len(code)})\n"
    first = compile(lines, str(target), "exec", dont_inherit=True, optimize=0)
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    part = target.with_suffix(f".{os.getpid()}")
    part.write_bytes(header + marshal.dumps(first) + index + code)
    part.rename(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
