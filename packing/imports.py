"""Move top-level packages below `mpbench`, and rename them in import statements.

A checkout has the packages `analysis`, `jobs`, `topologies` and `wsp` at its top.
Installed under these names they would hide packages of the user's, or be hidden by
them. So a wheel has `mpbench.analysis`, `mpbench.jobs` and so on. The statements that
import them are rewritten when the wheel is built. pip does the same with the
libraries that it brings.
"""

import ast
import re
import shutil
from pathlib import Path

OWNER = "mpbench"
MOVED = ("analysis", "jobs", "tools", "topologies", "wsp")
_BY_NAME = re.compile(rf'(import_module\(f?")(?=(?:{"|".join(MOVED)})\.)')


def move(library: Path) -> None:
    """Move the packages in a folder of packages, and rename them in all its modules.

    Raises ValueError, `file:line: what`, for an import that cannot be renamed.
    """
    for name in MOVED:
        shutil.move(library / name, library / OWNER / name)
    for path in sorted((library / OWNER).rglob("*.py")):
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


def _moved(module: str) -> bool:
    return module.partition(".")[0] in MOVED


def _change(lines: list[str], node: ast.stmt, old: str, new: str) -> None:
    """Change the beginning of a statement."""
    line = lines[node.lineno - 1]
    before, after = line[: node.col_offset], line[node.col_offset :]
    if not after.startswith(tuple(old + name for name in MOVED)):
        raise ValueError(f"{node.lineno}: expected one blank after the first word")
    lines[node.lineno - 1] = before + new + after.removeprefix(old)
