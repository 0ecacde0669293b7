"""Targets of mutation, and their tests: targets.toml."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Equal:
    """A mutant that no test can tell from the original, and why.

    Lines are known by their text, so that a change elsewhere keeps them.
    """

    file: str
    text: str
    operator: str
    before: str
    after: str
    reason: str

    def means(self, mutant: Mutant) -> bool:
        named = (self.text, self.operator, self.before, self.after)
        theirs = (mutant.text, mutant.operator, mutant.before, mutant.after)
        return named == theirs and mutant.file.endswith(self.file)


@dataclass(frozen=True)
class Target:
    """name : with which it is asked for
    language : how it is mutated and built, a key of `run.LANGUAGES`
    sources : patterns of files, relative to the root
    tests : files of tests, the ones that find most first
    sample : how many mutants are tried, 0 for all; seed : which
    timeout_s : after so long a mutant counts as found, because it hangs
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
    timeout_s: float
    least: float
    without: Sequence[str] = ()
    equal: Sequence[Equal] = ()

    def files(self) -> list[Path]:
        found = [path for each in self.sources for path in sorted(ROOT.glob(each))]
        return list(dict.fromkeys(found))

    def reason(self, mutant: Mutant) -> str | None:
        """Reason why a mutant is equal; None if nobody says so."""
        return next((e.reason for e in self.equal if e.means(mutant)), None)


def load(path: Path = HERE / "targets.toml") -> dict[str, Target]:
    """All targets by name."""
    targets = {}
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["target"]:
        equal = tuple(Equal(**each) for each in table.pop("equal", ()))
        target = Target(**table, equal=equal)
        targets[target.name] = target
    return targets
