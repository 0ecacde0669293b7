"""The imports of a file, and the layers that docs/architecture.md states."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/architecture.md"
PRODUCT = ("analysis", "jobs", "mpbench", "tools", "topologies", "wsp")
ALL = (*PRODUCT, "packing", "tests", "validation", "studies", "benchmarks")


def modules(folders: Iterable[str], root: Path = ROOT) -> dict[str, Path]:
    """The file of each module below these folders, by the module's dotted name."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path
    return found


def imports(
    name: str, text: str, known: Mapping[str, Path]
) -> Iterator[tuple[str, int]]:
    """The known modules that a module imports, each with the statement's line.

    A statement counts wherever it stands: in a function and below TYPE_CHECKING too.
    So does a constant name that is given to `import_module`.
    """
    package = known[name].name == "__init__.py"
    for node in ast.walk(ast.parse(text)):
        wanted: list[str] = []
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: None if package else -1]
            above = above[: len(above) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                wanted.append(inner if inner in known else source)
        elif isinstance(node, ast.Call) and _called(node) == "import_module":
            wanted = [
                word.value
                for word in node.args
                if isinstance(word, ast.Constant) and isinstance(word.value, str)
            ]
        for each in wanted:
            if each in known and each != name:
                yield each, getattr(node, "lineno", 0)


def _called(call: ast.Call) -> str:
    """The last part of the name of a function that is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def stated(page: str) -> dict[str, int]:
    """The row of each package in the table of layers, from the top."""
    table = page.partition("## Layers")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    return {
        package: number
        for number, row in enumerate(rows)
        for package in re.findall(r"`([\w.*]+)`", row.split("|")[2])
    }


def unit(module: str, layers: Iterable[str]) -> str:
    """The package of the table that a module belongs to: the longest name that fits.

    `*` in a name of the table stands for one part, and `mpbench` for that module alone.
    Raises KeyError for a module that no name fits.
    """
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        for name in layers:
            stem = name.split(".")
            pairs = zip(stem, parts, strict=False)
            fits = len(stem) == length and all(own in ("*", its) for own, its in pairs)
            if fits and (name != "mpbench" or module == name):
                return name
    raise KeyError(module)
