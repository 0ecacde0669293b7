"""First steps of a run's file of byte code; `bundle.py` makes the file.

The file is the byte code of this module, with a call of `run` at its end, and then what
`run` needs. The interpreter reads the file in small pieces, and only as far as the byte
code goes. The rest is read at once.
"""

import builtins
import gc
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec

# Modules that are not in every interpreter's memory cannot be imported before `run`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

LAZY = frozenset(
    {
        "hashlib",
        "inspect",
        "ipaddress",
        "locale",
        "pty",
        "shutil",
        "textwrap",
        "traceback",
    }
)
"""Modules that others import, and that hardly any run uses. Each is executed when one
of its attributes is first asked for."""

COMPILERS = {"collections": "eval", "dataclasses": "exec"}
"""Modules that make functions from text, and the built-in function that they call."""
PATTERNS = "re._compiler"
"""The module that compiles regular expressions, by its function `compile`."""

Pattern = tuple[str | bytes, int]
"""A regular expression and its flags."""
Entry = tuple[str, bool, int, int]
"""A module's file, whether it is a package, and where its code begins and ends."""


class Bundled:
    """Find and load the modules of the bundle.

    entries : by the modules' names
    functions : code that takes the place of text, marshalled, by the text
    patterns : what `_sre.compile` makes a regular expression from
    code : the code of the modules, marshalled
    """

    def __init__(
        self,
        entries: dict[str, Entry],
        functions: dict[str, bytes],
        patterns: "dict[Pattern, tuple[Any, ...]]",
        code: memoryview,
    ) -> None:
        self.entries = entries
        self.functions = functions
        self.patterns = patterns
        self.code = code

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if name not in self.entries:
            return None
        file, package, _, _ = self.entries[name]
        spec = ModuleSpec(name, self, origin=file, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        spec.cached = file
        if package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: "ModuleType") -> None:
        if module.__name__ not in LAZY:
            self._execute(module)
            return

        def execute_first(attribute: str) -> object:
            del module.__getattr__
            self._execute(module)
            return getattr(module, attribute)

        module.__getattr__ = execute_first  # type: ignore[method-assign]

    def _execute(self, module: "ModuleType") -> None:
        name = module.__name__
        if compiler := COMPILERS.get(name):
            # A module's own name comes before the built-in one.
            setattr(module, compiler, self._compiled(getattr(builtins, compiler)))
        _, _, begin, end = self.entries[name]
        exec(marshal.loads(self.code[begin:end]), module.__dict__)
        if name == PATTERNS and self.patterns:
            module.compile = self._compiled_pattern(module.compile)  # type: ignore[attr-defined]

    def _compiled(self, builtin: "Callable[..., Any]") -> "Callable[..., Any]":
        """`exec` or `eval`, which need not compile a text that the bundle knows."""

        def execute(text: str, *scope: "Any") -> "Any":
            code = self.functions.get(text)
            return builtin(marshal.loads(code) if code else text, *scope)

        return execute

    def _compiled_pattern(self, usual: "Callable[..., Any]") -> "Callable[..., Any]":
        import _sre

        def compile(pattern: "Any", flags: int = 0) -> "Any":
            if type(pattern) in (str, bytes) and (pattern, flags) in self.patterns:
                return _sre.compile(*self.patterns[pattern, flags])
            return usual(pattern, flags)

        return compile


def run(file: str, index_bytes: int, code_bytes: int) -> None:
    """Execute a run, and end the process.

    file : the bundle, whose end is the index and the code of the modules
    """
    # The process is short: it collects no garbage and frees nothing at its end.
    gc.disable()
    descriptor = os.open(file, os.O_RDONLY)
    os.lseek(descriptor, -(index_bytes + code_bytes), os.SEEK_END)
    content = memoryview(os.read(descriptor, index_bytes + code_bytes))
    os.close(descriptor)
    entries, functions, patterns = marshal.loads(content)
    bundled = Bundled(entries, functions, patterns, content[index_bytes:])
    sys.meta_path.insert(0, bundled)
    import warnings

    # Mininet's use of distutils would warn.
    warnings.simplefilter("ignore", DeprecationWarning)
    from mpbench.guest.main import main

    status = main()
    sys.stdout.flush()
    os._exit(status)
