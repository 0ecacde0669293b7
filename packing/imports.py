"""Place top-level packages below `mpbench`, and rename them in import statements.

A checkout has the packages `analysis`, `jobs`, `tools`, `topologies` and `wsp` at its
top. Installed under these names they would hide packages of the user's, or be hidden by
them. So a wheel has `mpbench.analysis` and so on: setuptools' `package_dir` maps each
folder to its place.

The map moves files only. Python has one table of modules per process, so the statement
`import analysis` cannot mean `mpbench.analysis` in our modules and the user's own
`analysis` in a notebook beside them. Code of guests, and topologies of users, import
`topologies` by that name in a checkout and in a wheel. So the statements in the modules
of a wheel are rewritten. pip does the same with the libraries that it brings.
"""

import ast
import re
from pathlib import Path
from typing import Any

OWNER = "mpbench"
MOVED = ("analysis", "jobs", "tools", "topologies", "wsp")
_BY_NAME = re.compile(rf'(import_module\(f?")(?=(?:{"|".join(MOVED)})\.)')


def place(distribution: Any) -> None:
    """Map the packages of a distribution, and what it has of them, below `mpbench`.

    distribution : of setuptools; its command `build_py` must not have begun
    """
    distribution.package_dir = {
        **(distribution.package_dir or {}),
        **{f"{OWNER}.{name}": name for name in MOVED},
    }
    distribution.packages = [_placed(name) for name in distribution.packages]
    distribution.package_data = {
        _placed(name): files for name, files in distribution.package_data.items()
    }
    for extension in distribution.ext_modules or ():
        extension.name = _placed(extension.name)


def rename(library: Path) -> None:
    """Rename the packages in the import statements of all modules in a folder.

    Raises ValueError, `file:line: what`, for an import that cannot be renamed.
    """
    for path in sorted(library.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        try:
            path.write_text(renamed(text), encoding="utf-8")
        except ValueError as error:
            raise ValueError(f"{path}:{error}") from None


def renamed(text: str) -> str:
    """The text of a module with the packages' new names.

    Raises ValueError, `line: what`.
    """
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            if _moved(node.module or ""):
                _change(lines, node, "from ", f"from {OWNER}.")
        elif isinstance(node, ast.Import):
            _import(lines, node)
    return _BY_NAME.sub(rf"\1{OWNER}.", "".join(lines))


def _import(lines: list[str], node: ast.Import) -> None:
    names = [alias for alias in node.names if _moved(alias.name)]
    if not names:
        return
    if len(node.names) > 1:
        raise ValueError(f"{node.lineno}: several imports in one line; write one each")
    if names[0].asname:
        _change(lines, node, "import ", f"import {OWNER}.")
    elif "." in names[0].name:
        raise ValueError(f"{node.lineno}: write `import {names[0].name} as NAME`")
    else:
        _change(lines, node, "import ", f"from {OWNER} import ")


def _placed(package: str) -> str:
    return f"{OWNER}.{package}" if _moved(package) else package


def _moved(module: str) -> bool:
    return module.partition(".")[0] in MOVED


def _change(lines: list[str], node: ast.stmt, old: str, new: str) -> None:
    """Change the beginning of a statement."""
    line = lines[node.lineno - 1]
    before, after = line[: node.col_offset], line[node.col_offset :]
    if not after.startswith(tuple(old + name for name in MOVED)):
        raise ValueError(f"{node.lineno}: expected one blank after the first word")
    lines[node.lineno - 1] = before + new + after.removeprefix(old)
