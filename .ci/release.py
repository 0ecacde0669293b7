#!/usr/bin/env python3
"""Tags the current commit as the release that the changelog's top section describes.

    .ci/release.py [--check]

With --check, it only says whether version, changelog and citation agree. It never
pushes anything. A tag does not reach every clone, so the next commit writes the
release's commit into the changelog and the citation:

    .ci/release.py --record COMMIT
"""

import argparse
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECTION = re.compile(r"^## (\S+), ([^,\n]+)(?:, commit ([0-9a-f]{40}))?$", re.MULTILINE)
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


class NotReadyError(Exception):
    """The reason why no release can be made, for the person who asked for it."""


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def version() -> str:
    text = (ROOT / "mpbench" / "version.py").read_text(encoding="utf-8")
    match = VERSION.search(text)
    if match is None:
        raise NotReadyError("mpbench/version.py: no line sets __version__")
    return match[1]


def top_section() -> tuple[str, str, str]:
    """Version, date and text of the changelog's top section."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = list(SECTION.finditer(text))
    if not heads:
        raise NotReadyError("CHANGELOG.md: no section '## VERSION, DATE'")
    end = heads[1].start() if len(heads) > 1 else len(text)
    return heads[0][1], heads[0][2], text[heads[0].end() : end].strip()


def citation() -> tuple[str, str]:
    """Version and date in CITATION.cff."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^(version|date-released): (.+)$", text, re.MULTILINE))
    return fields.get("version", "missing"), fields.get("date-released", "missing")


def check() -> tuple[str, str]:
    """The version and the release's notes, when everything agrees."""
    ours = version()
    noted, day, notes = top_section()
    if noted != ours:
        raise NotReadyError(
            f"CHANGELOG.md: the top section is {noted}, but mpbench is {ours}"
        )
    try:
        date.fromisoformat(day)
    except ValueError:
        raise NotReadyError(
            f"CHANGELOG.md: '{day}' is no date; a release has one: "
            f"## {ours}, {date.today().isoformat()}"
        ) from None
    if citation() != (ours, day):
        raise NotReadyError(
            "CITATION.cff: version and date-released are {}, {}; ".format(*citation())
            + f"the changelog has {ours}, {day}"
        )
    return ours, notes


def tag(ours: str, notes: str) -> None:
    if git("status", "--porcelain", "--untracked-files=no"):
        raise NotReadyError("the work tree has changes; commit them first")
    name = f"v{ours}"
    if git("tag", "--list", name):
        raise NotReadyError(f"the tag {name} exists; set a new version")
    message = f"mpbench {ours}\n\n{notes}\n"
    git("tag", "--annotate", "--cleanup=whitespace", "--message", message, name)
    print(f"tagged {name}; publish it with: git push origin {name}")


def text_at(commit: str) -> str:
    """The file of a commit that sets the version; releases before 0.2.0 have another.

    Raises CalledProcessError for a commit without a version.
    """
    there = git("ls-tree", "--name-only", commit, "mpbench/version.py")
    return git("show", f"{commit}:{there or 'mpbench/__init__.py'}")


def record(commit: str) -> None:
    """Write a release's commit into its section of the changelog and the citation."""
    try:
        commit = git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
        there = text_at(commit)
    except subprocess.CalledProcessError:
        raise NotReadyError(f"no commit '{commit}' with a version") from None
    match = VERSION.search(there)
    released = match[1] if match else "no version"
    path = ROOT / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    found = [head for head in SECTION.finditer(text) if head[1] == released]
    if not found:
        raise NotReadyError(f"CHANGELOG.md: no section of {released}, {commit[:12]}'s")
    head = found[0]
    line = f"## {released}, {head[2]}, commit {commit}"
    path.write_text(text[: head.start()] + line + text[head.end() :], encoding="utf-8")
    path = ROOT / "CITATION.cff"
    cited = re.sub(r"^commit: .*\n", "", path.read_text(encoding="utf-8"), flags=re.M)
    if citation() == (released, head[2]):
        day = f"date-released: {head[2]}\n"
        cited = cited.replace(day, f"{day}commit: {commit}\n")
    path.write_text(cited, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="make no tag")
    parser.add_argument("--record", metavar="COMMIT", help="of a release made before")
    arguments = parser.parse_args()
    try:
        if arguments.record:
            record(arguments.record)
            return 0
        ours, notes = check()
        if not arguments.check:
            tag(ours, notes)
    except NotReadyError as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
