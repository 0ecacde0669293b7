"""Put all the Python of a run into one file of byte code: `python3 bundle.py FILE`.

A system call in a guest costs ten microseconds or more. The import of a module needs
about twenty calls, to look for the module along the path and to open, measure and read
its file. So the modules that a run imports are gathered once, outside the guest, into
one file that `python3 FILE` runs. The interpreter that will run the file must make it.
The process is short, and the guest ends with it: it collects no garbage and frees
nothing at its end.
"""

import importlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType

ROOTS = ("mpbench.guest.main", "mpbench.workloads", "topologies")
"""The modules that a run may import. A package stands for all modules in it."""

START = '''
import gc
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec


class Bundled:
    """Find and load the modules of the bundle."""

    def find_spec(self, name, path=None, target=None):
        entry = MODULES.get(name)
        if entry is None:
            return None
        file, package, _ = entry
        spec = ModuleSpec(name, self, origin=file, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(marshal.loads(MODULES[module.__name__][2]), module.__dict__)


gc.disable()
sys.meta_path.insert(2, Bundled())
from mpbench.guest.main import main

status = main()
sys.stdout.flush()
os._exit(status)
'''


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


def _modules() -> Iterator[tuple[str, tuple[str | None, bool, bytes]]]:
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        code = _code(spec) if spec and spec.name == name != "__main__" else None
        if spec and code:
            package = spec.submodule_search_locations is not None
            yield name, (spec.origin, package, marshal.dumps(code))


def main(target: Path) -> None:
    """Write the bundle. `target` is replaced only when the bundle is complete."""
    _import_roots()
    lines = f"MODULES = {dict(_modules())!r}\n{START}"
    code = compile(lines, str(target), "exec", dont_inherit=True, optimize=0)
    whole = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    part = target.with_suffix(f".{os.getpid()}")
    part.write_bytes(whole)
    part.rename(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
