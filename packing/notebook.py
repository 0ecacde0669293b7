"""Write the page about notebooks as a notebook: `python -m packing.notebook`.

The page docs/notebooks.md is the source. Its blocks of Python become cells of code, and
what is between them becomes text.
"""

import json
import re
from pathlib import Path
from typing import Any

from packing import parts

PAGE = parts.TOP / "docs" / "notebooks.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
_CODE = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


def notebook(page: str) -> dict[str, Any]:
    """The page in Jupyter's format 4.5."""
    pieces = _CODE.split(page)  # text and code in turn
    cells = [
        _cell(number, piece.strip("\n"))
        for number, piece in enumerate(pieces)
        if piece.strip()
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(number: int, text: str) -> dict[str, Any]:
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    kind = code if number % 2 else {"cell_type": "markdown"}
    source = text.splitlines(keepends=True)
    return {**kind, "id": f"part-{number}", "metadata": {}, "source": source}


def write(page: Path = PAGE, target: Path = NOTEBOOK) -> None:
    text = json.dumps(notebook(page.read_text(encoding="utf-8")), indent=1)
    target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
