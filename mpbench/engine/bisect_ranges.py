"""A range of commits of a git repository, as the series of a search."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jobs.linux import Linux
from mpbench.engine.bisect_question import Change, Range
from mpbench.errors import UserError, printable
from mpbench.kernel import commits, git_fetch
from mpbench.spec import Spec, kernels
from mpbench.spec.suggestions import nearest


def of_commits(spec: Spec, label: str | None, text: str) -> Range:
    """The commits after GOOD up to BAD, along first parents.

    label : a kernel of the experiment with `git`, whose `lab`, patches and options all
        steps have; None for the only one
    text : `GOOD..BAD`

    Raises UserError, one line, for commits that are not there or make no range.
    """
    first, dots, last = text.partition("..")
    if not dots or not first or not last or last.startswith("."):
        raise UserError(f"'{printable(text[:80])}' is no range; write GOOD..BAD")
    name = _label(spec, label)
    own = kernels.resolved(spec.kernels, name)
    written = _with_git(spec, name)
    assert own.tree is not None and written.git is not None
    if written.dirty:
        raise UserError(
            f"kernel '{name}' has changes that are in no commit, and a range has"
            " commits alone; take 'dirty' away"
        )
    if kernels.is_address(written.git):
        place = written.git
        with git_fetch.fetched_range(place, first, last) as (repository, start, found):
            good = repository.linux(start)
    else:
        place = commits.origin(own.tree)
        with commits.repository_of(own.tree) as repository:
            good = repository.linux(repository.commit(first))
            found = repository.between(good.commit, repository.commit(last))
    commits.note(good, place)

    def at(commit: str) -> Callable[[], Linux]:
        def linux() -> Linux:
            with commits.repository_of(good) as repository:
                tree = repository.linux(commit)
            commits.note(tree, place)
            return replace(own, tree=tree)

        return linux

    changes = [
        Change(f"{commit[:12]} {subject}", at(commit)) for commit, subject in found
    ]
    return Range(replace(own, tree=good), tuple(changes), written.git, f"'{last}'")


def _label(spec: Spec, label: str | None) -> str:
    known = [name for name in spec.kernels if _has_git(spec, name)]
    if label is None:
        if len(known) != 1:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise UserError(
                f"a range needs a kernel with 'git' in the experiment, and {there};"
                " name one with --kernel"
            )
        return known[0]
    if label not in spec.kernels:
        hint = nearest(label, spec.kernels) if spec.kernels else "it has no kernels"
        raise UserError(f"no kernel '{label}' in the experiment; {hint}")
    if label not in known:
        raise UserError(f"kernel '{label}' has no 'git', and a range is one of commits")
    return label


def _has_git(spec: Spec, label: str) -> bool:
    return kernels.resolved(spec.kernels, label).tree is not None


def _with_git(spec: Spec, label: str) -> Any:
    """The kernel that names the repository: this one, or one of its bases."""
    here = spec.kernels[label]
    while here.git is None:
        assert here.base is not None
        here = spec.kernels[here.base]
    return here
