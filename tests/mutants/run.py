"""Try mutants: `python -m tests.mutants.run [TARGET...]`, or `make mutants`.

A mutant is found if a test fails with it, if it crashes or if it hangs. The exit status
is 1 if fewer are found than the target says, or if one survives that targets.toml does
not name with the reason why it is equal.
"""

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.mutants import c, core, python
from tests.mutants.mutant import Mutant
from tests.mutants.targets import ROOT, Target, load

WORKERS = 2


class Runner(Protocol):
    """A runner of the mutants of a target, in a temporary folder of its own."""

    def attempt(self, mutant: Mutant | None) -> str:
        """found, survived, equal, or invalid; None stands for the original."""

    def elsewhere(self, folder: Path) -> "Runner":
        """The same in another folder."""


@dataclass(frozen=True)
class Language:
    """mutants : all of a file, by its name and text
    warm_up : what is done once before workers begin
    runner : makes what tries them
    """

    mutants: Callable[[str, str], Iterator[Mutant]]
    warm_up: Callable[[Target], None]
    runner: Callable[[Target, Path], Runner]


LANGUAGES = {
    "c": Language(c.mutants, core.warm_up, core.Core),
    "python": Language(python.mutants, core.warm_up, python.Runner),
}


def chosen(target: Target) -> list[Mutant]:
    """The sample of a target, the same for one seed as long as its files are."""
    language = LANGUAGES[target.language]
    every = [
        mutant
        for path in target.files()
        for mutant in language.mutants(
            str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        )
    ]
    if not 0 < target.sample < len(every):
        return every
    sample = random.Random(target.seed).sample(range(len(every)), target.sample)
    return [every[index] for index in sorted(sample)]


Found = tuple[Mutant, str]


def _work(
    runner: Runner, mutants: Sequence[Mutant], queue: "multiprocessing.Queue[Found]"
) -> None:
    with tempfile.TemporaryDirectory(prefix="mpbench-mutants-") as folder:
        own = runner.elsewhere(Path(folder))
        for mutant in mutants:
            queue.put((mutant, own.attempt(mutant)))


def tried(runner: Runner, mutants: Sequence[Mutant], end: float) -> Iterator[Found]:
    """Each mutant with what became of it, until the time is over."""
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[Found] = context.Queue()
    parts = [mutants[start::WORKERS] for start in range(WORKERS)]
    workers = [
        context.Process(target=_work, args=(runner, part, queue)) for part in parts
    ]
    for worker in workers:
        worker.start()
    try:
        for _ in mutants:
            yield queue.get(timeout=max(1.0, end - time.monotonic()))
    except Exception as error:
        if type(error).__name__ != "Empty":
            raise
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def unsound(target: Target, runner: Runner, folder: Path) -> str:
    """The end of what failing tests print without a mutant; empty if they pass."""
    if runner.attempt(None) == "survived":
        return ""
    lines = (folder / "pytest.log").read_text(errors="replace").split("\n")
    end = "\n".join(lines[-20:]).rstrip()
    return end or f"they did not end within {target.cpu_s:g} s of CPU time"


def judge(
    target: Target,
    runner: Runner,
    mutants: Sequence[Mutant],
    minutes: float,
    log: Path | None,
) -> bool:
    """Try them and print what survived. Whether enough were found."""
    counts: Counter[str] = Counter()
    survivors = []
    end = time.monotonic() + 60 * minutes
    for mutant, became in tried(runner, mutants, end):
        if became == "survived" and target.reason(mutant):
            became = "equal"
        counts[became] += 1
        if became == "survived":
            survivors.append(mutant)
            print(f"survived: {mutant}", flush=True)
        if log:
            with log.open("a") as file:
                file.write(f"{became}\t{mutant}\n")
    of = counts["found"] + counts["survived"]
    share = counts["found"] / of if of else 0.0
    left = len(mutants) - counts.total()
    print(
        f"{target.name}: {counts['found']} of {of} mutants found ({share:.1%}); "
        f"{counts['equal']} are equal, {counts['invalid']} do not compile, "
        f"{left} were not tried, as the time was over"
    )
    return share >= target.least and not survivors and not left


def main(arguments: Sequence[str] | None = None) -> int:
    targets = load()
    parser = argparse.ArgumentParser(description="Try mutants of what decides.")
    parser.add_argument("target", nargs="*", choices=[*targets, []], default=[])
    parser.add_argument("--sample", type=int, help="how many; 0 for all")
    parser.add_argument("--seed", type=int, help="which")
    parser.add_argument("--only", help="of files whose name has this in it")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most so long")
    parser.add_argument("--log", type=Path, help="each mutant and what became of it")
    options = parser.parse_args(arguments)
    good = True
    for name in options.target or targets:
        target = targets[name]
        settings = vars(target) | {
            key: value
            for key in ("sample", "seed")
            if (value := getattr(options, key)) is not None
        }
        target = Target(**settings)
        mutants = [m for m in chosen(target) if (options.only or "") in m.file]
        print(f"{name}: {len(mutants)} mutants, seed {target.seed}", flush=True)
        LANGUAGES[target.language].warm_up(target)
        with tempfile.TemporaryDirectory(prefix="mpbench-mutants-") as folder:
            runner = LANGUAGES[target.language].runner(target, Path(folder))
            if output := unsound(target, runner, Path(folder)):
                print(f"{output}\n{name}: the tests fail without a mutant")
                return 2
            good &= judge(target, runner, mutants, options.minutes, options.log)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
