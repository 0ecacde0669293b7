"""Check the prose of documentation and source files with textlint.

    .ci/prose/check.py [FILE...]

Without files, it checks all that git knows apart from results. Markdown is checked as
it is. Of source files it checks comments, docstrings and messages: it writes them to
build/prose with the same line and column, and gives textlint that copy. The rules are
in rules.yml beside this file. A docstring in Python also has to open with a noun or a
verb.
"""

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIES = Path("build", "prose")
MARKDOWN = {".md"}
SOURCES = {".py", ".c", ".h", ".js", ".sh"}
LEFT_OUT = ("results/", "tests/capture/captured/", "tests/test_prose.py")
"""Quotations, generated pages, and the examples of the rules."""
GENERATED = {"analysis/dashboard/assets/dashboard.js"}
MESSAGE_WORDS = 4
"""A string with fewer words is taken for a name or a key."""
CODE = re.compile(r"``[^`]+``|`[^`\n]+`|\{[^{}\n]*\}")
OPENING = re.compile(r"(What|Where|How|Why)\b")
"""Words that open a question, not a docstring."""
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
Span = tuple[int, int]


def listed() -> list[Path]:
    """The files that git knows and that have prose, relative to the project."""
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [
        Path(name)
        for name in done.stdout.splitlines()
        if Path(name).suffix in MARKDOWN | SOURCES
        and not name.startswith(LEFT_OUT)
        and name not in GENERATED
        and (ROOT / name).is_file()
    ]


def python_spans(text: str) -> Iterator[Span]:
    """Offsets of comments and of strings that read like sentences."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        words = len(token.string.split())
        if kind == "COMMENT" or (
            kind in ("STRING", "FSTRING_MIDDLE") and words >= MESSAGE_WORDS
        ):
            (row, column), (last, end) = token.start, token.end
            yield starts[row - 1] + column, starts[last - 1] + end


def comment_spans(text: str) -> Iterator[Span]:
    """Offsets of the comments of C and JavaScript."""
    for match in COMMENT.finditer(text):
        yield match.span()


def shell_spans(text: str) -> Iterator[Span]:
    for match in re.finditer(r"(?m)(?<!\S)#[^\n]*", text):
        yield match.span()


def blank(text: str) -> str:
    """Spaces for everything but line ends."""
    return re.sub(r"[^\n]", " ", text)


def prose(path: Path) -> str:
    """The file's text with everything but its prose replaced by spaces."""
    text = (ROOT / path).read_text(encoding="utf-8")
    spans = {".py": python_spans, ".sh": shell_spans}.get(path.suffix, comment_spans)
    parts, at = [], 0
    for begin, end in spans(text):
        kept = CODE.sub(lambda match: blank(match[0]), text[begin:end])
        parts += [blank(text[at:begin]), kept]
        at = end
    return "".join([*parts, blank(text[at:])])


def openings(path: Path) -> Iterator[str]:
    """A line for each docstring, also of a constant, that opens with such a word."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                if found := OPENING.match(text):
                    place = f"{path}:{node.lineno}:{node.col_offset + 4}"
                    rule = "a docstring opens with a noun or a verb"
                    yield f"{place}: {rule}, not with {found[0]} [Error/openings]"


def copy(path: Path) -> Path:
    """The copy of `path` that textlint reads."""
    if path.suffix in MARKDOWN:
        return path
    target = COPIES / f"{path}.txt"
    (ROOT / target).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / target).write_text(prose(path), encoding="utf-8")
    return target


def main() -> int:
    given = [Path(name).resolve().relative_to(ROOT) for name in sys.argv[1:]]
    shutil.rmtree(ROOT / COPIES, ignore_errors=True)
    files = given or listed()
    opened = [line for file in files if file.suffix == ".py" for line in openings(file)]
    targets = [str(copy(path)) for path in files]
    program = ROOT / "node_modules" / ".bin" / "textlint"
    options = ["--config", ".ci/prose/textlint.json", "--format", "unix"]
    # Node lies beside Python in the virtual environment.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(program), *options, *targets],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    said = done.stdout.replace(f"{ROOT}/", "").replace(f"{COPIES}/", "")
    sys.stdout.write(re.sub(r"(?m)^(\S+?)\.txt:(?=\d)", r"\1:", said))
    sys.stdout.write("".join(f"{line}\n" for line in opened))
    sys.stderr.write(done.stderr)
    return done.returncode or bool(opened)


if __name__ == "__main__":
    sys.exit(main())
