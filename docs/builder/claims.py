"""Measured numbers that a page states without a run behind them.

    python -m docs.builder.claims [PAGE...]

lists each sentence and table row of docs/ that says what something took, gave or cost,
with a number and a unit. Such a number is written by a run (`measured` has the marks),
or it is quoted from a page of results (`quoted`), or its paragraph links to the study
or the result that it comes from. `stated.toml` names the sentences that look like a
measurement and are none: a setting, a limit, a number of a paper, a computation, or
what a named test asserts.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.builder.measured import DOCS

STATED = Path(__file__).with_name("stated.toml")
UNIT = (
    r"%|per cent|ns|us|ms|s|min|minutes?|seconds?|hours?|[KMG]i?B|kB|bytes|"
    r"[kMG]bit/s|packets/s|packets per second|times"
)
NUMBER = re.compile(
    rf"(?<![\w.])\d[\d,.]*(?:\s(?:to|and|or)\s\d[\d,.]*)?\s?(?:{UNIT})(?!\w)"
)
MEASURED = re.compile(
    r"\b(?:takes?|took|costs?|gave|gets?|got|reach(?:es|ed)|measured|observed|"
    r"faster|slower|saves?|saved|gains?|lost|loses?|drops|dropped|used|differs?|changes|"
    r"changed|moves|moved|agrees?|CPU time|goodput of|instead of|wrong by|right within|"
    r"on average|medians? of)\b",
    re.IGNORECASE,
)
SAMPLE = re.compile(
    r"\(n = \d|\b(?:means?|medians?) (?:of|over) (?:\d+|two|three|five|ten) "
    r"(?:seeds|runs|rounds|sets)\b",
    re.IGNORECASE,
)
"""A sample size: its numbers need no unit."""
SOURCE = re.compile(r"\]\((?:\.\./)?(?:studies|results)/")
GONE = re.compile(
    r"^```.*?^```$"
    r"|^(?: {4}|\t)\S[^\n]*$"
    r"|<!-- (?:value|table|explained|bench|cell): .*?<!-- end -->"
    r"|<!--.*?-->"
    r"|`[^`\n]*`"
    r"|!\[[^\]]*\]\([^)]*\)",
    re.DOTALL | re.MULTILINE,
)
"""Code, marked numbers, comments, inline code and pictures."""


@dataclass(frozen=True)
class Claim:
    """A sentence or a table row with a number that looks measured."""

    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"docs/{self.page}:{self.line}: {self.text}"


def claims(path: Path) -> Iterator[Claim]:
    """The claims of a page that neither a run nor a link supports."""
    text = path.read_text(encoding="utf-8")
    plain = GONE.sub(lambda gone: "\n" * gone[0].count("\n"), text)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", plain):
        if not SOURCE.search(paragraph):
            for at, sentence in sentences(paragraph):
                flat = " ".join(sentence.split())
                measured = NUMBER.search(flat) and MEASURED.search(flat)
                if measured or SAMPLE.search(flat):
                    yield Claim(path.name, line + at, flat)
        line += paragraph.count("\n")


def sentences(paragraph: str) -> Iterator[tuple[int, str]]:
    """Sentences, and rows of a table, each with its line in the paragraph from 0."""
    start = 0
    for end in re.finditer(r"\|\n|[.;:](?=\s)|$", paragraph):
        sentence = paragraph[start : end.end()]
        yield paragraph.count("\n", 0, start), sentence
        start = end.end()


def stated() -> dict[str, list[str]]:
    """By page, the beginnings of sentences that state no measurement."""
    found = tomllib.loads(STATED.read_text(encoding="utf-8"))
    return {page: list(each) for page, each in found.items()}


def unsupported(paths: Sequence[Path]) -> list[Claim]:
    known = stated()
    return [
        claim
        for path in paths
        for claim in claims(path)
        if not any(claim.text.startswith(said) for said in known.get(path.name, ()))
    ]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGE")
    options = parser.parse_args(words)
    found = unsupported(options.pages or sorted(DOCS.glob("*.md")))
    for claim in found:
        print(claim)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
