"""Reading of text and JSON files in a run's folder."""

import json
import re
from pathlib import Path
from typing import Any

from analysis.run.readers import values

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
MOST_CHARACTERS = 300
"""Of the words of a program in a message."""


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises ValueError, with one line, if the file is missing, empty, truncated or does
    not hold an object.
    """
    return parse_object(read_text(path), path.name)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8.

    Raises ValueError, with one line, if the file is missing or not text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ValueError(f"{path.name}: missing") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: not text ({error.reason})") from error


def parse_object(text: str, name: str) -> dict[str, Any]:
    """The JSON object in a text.

    name : name of the file with this text, for error messages

    Raises ValueError, with one line, if the text is not a JSON object.
    """
    if not text.strip():
        raise ValueError(f"{name}: empty: its program ended before it wrote")
    try:
        value = _loaded(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{name}: broken JSON at line {error.lineno}: {error.msg}"
            " (its program was cut short?)"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{name}: JSON that is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{name}: a {type(value).__name__} where an object belongs")
    return value


def _loaded(text: str) -> Any:
    """The value of a JSON text, without numbers that no double or counter can hold.

    Halves of surrogate pairs become question marks, because no file can hold them.
    """
    value = json.loads(
        text,
        parse_int=values.integer,
        parse_float=values.decimal,
        parse_constant=values.constant,
    )
    if _SURROGATE.search(text):
        whole = json.dumps(value, ensure_ascii=False)
        value = json.loads(whole.encode(errors="replace"))
    return value


def last_words(folder: Path, name: str) -> str:
    """The last line that a program said, by the name of its process; "" for none."""
    said = tail(folder / f"{name}.err") or tail(folder / f"{name}.txt")
    return said[:MOST_CHARACTERS]


def tail(path: Path) -> str:
    """The last line of a text file that is not blank; "" if there is none."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return next((line.strip() for line in text.splitlines()[::-1] if line.strip()), "")
