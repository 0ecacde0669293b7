"""Targets of mutation, and their tests: targets.toml."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HEAD = re.compile(r"[a-z].*?(?P<name>\w+)\((?!.*;)")
"""The first line of a function of C."""


@dataclass(frozen=True)
class Equal:
    """A mutant that no test can tell from the original, and why.

    Lines are known by their text, so that a change elsewhere keeps them.

    of : the function of C that the line stands in, where others have the same line
    """

    file: str
    text: str
    operator: str
    before: str
    after: str
    reason: str
    of: str = ""

    def means(self, mutant: Mutant) -> bool:
        named = (self.text, self.operator, self.before, self.after)
        theirs = (mutant.text, mutant.operator, mutant.before, mutant.after)
        if named != theirs or not mutant.file.endswith(self.file):
            return False
        return not self.of or self.of == _function(ROOT / mutant.file, mutant.line)


@dataclass(frozen=True)
class Target:
    """name : with which it is asked for
    language : how it is mutated and built, a key of `run.LANGUAGES`
    sources : patterns of files, relative to the root
    tests : files of tests, the ones that find most first
    sample : how many mutants are tried, 0 for all; seed : which
    cpu_s : after so much CPU time a mutant counts as found, because it hangs
    least : the share of mutants that must be found
    without : single tests of these that take too long
    equal : mutants that no test can find
    """

    name: str
    language: str
    sources: Sequence[str]
    tests: Sequence[str]
    sample: int
    seed: int
    cpu_s: float
    least: float
    without: Sequence[str] = ()
    equal: Sequence[Equal] = ()

    def files(self) -> list[Path]:
        found = [path for each in self.sources for path in sorted(ROOT.glob(each))]
        return list(dict.fromkeys(found))

    def reason(self, mutant: Mutant) -> str | None:
        """Reason why a mutant is equal; None if nobody says so."""
        return next((e.reason for e in self.equal if e.means(mutant)), None)


def _function(path: Path, line: int) -> str:
    """The function of C whose body has a line."""
    above = path.read_text(encoding="utf-8").split("\n")[:line]
    heads = (HEAD.match(each) for each in reversed(above))
    return next((found["name"] for found in heads if found), "")


def load(path: Path = HERE / "targets.toml") -> dict[str, Target]:
    """All targets by name."""
    targets = {}
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["target"]:
        equal = tuple(Equal(**each) for each in table.pop("equal", ()))
        target = Target(**table, equal=equal)
        targets[target.name] = target
    return targets
