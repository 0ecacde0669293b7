"""The files of docs/extending.md, as a user has them in a folder."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
FILE = re.compile(r"^`([a-z/._-]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def files() -> dict[str, str]:
    """The text of each file by its name."""
    return {name: text for name, text in FILE.findall(PAGE.read_text())}


def write(folder: Path, **changes: tuple[str, str]) -> Path:
    """Write all files to a folder; returns the experiment file.

    changes : by the stem of a file's name, a text in it and what stands there instead
    """
    for name, text in files().items():
        path = folder / name
        if path.stem in changes:
            old, new = changes[path.stem]
            assert old in text
            text = text.replace(old, new)
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    return folder / "my-experiment.yaml"
