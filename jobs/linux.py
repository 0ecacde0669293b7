"""The kernel of a run, where it is another one than mpbench's own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Length, Matching

MOST_PATCHES = 100
MOST_OPTIONS = 100
MOST_PATCH_BYTES = 1 << 18
"""Characters of a patch's text."""

PatchName = Annotated[
    str,
    Matching(re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}"), "the name of a patch"),
]
OptionName = Annotated[
    str, Matching(re.compile(r"CONFIG_[A-Z0-9_]{1,80}"), "an option of Linux")
]
OptionValue = Annotated[
    str,
    Matching(re.compile(r"y|n|-?[0-9]{1,9}|0x[0-9a-f]{1,16}"), "y, n or a number"),
]


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A change of Linux, as `git format-patch` or `diff -u` writes it."""

    name: PatchName
    text: Annotated[str, Length(1, MOST_PATCH_BYTES)]


@dataclass(frozen=True, kw_only=True)
class Linux:
    """The differences of a run's kernel from mpbench's own.

    lab : whether it has mpbench's changes of Linux's network code; without them it is
        Linux as released, in virtual time
    patches : applied in this order, after mpbench's own
    options : of the kernel's configuration, beside those of mpbench's
    """

    lab: bool = True
    patches: Annotated[tuple[Patch, ...], Length(0, MOST_PATCHES)] = ()
    options: (
        Annotated[Mapping[OptionName, OptionValue], Length(1, MOST_OPTIONS)] | None
    ) = None

    def check(self) -> None:
        names = [patch.name for patch in self.patches]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"patches: two are called {name!r}")

    @property
    def words(self) -> str:
        """The kernel in a few words, for messages."""
        found = ["the lab's Linux" if self.lab else "stock Linux"]
        if self.patches:
            number = len(self.patches)
            found.append(f"{number} patch{'' if number == 1 else 'es'}")
        if self.options:
            found.append(" ".join(f"{k}={v}" for k, v in sorted(self.options.items())))
        return " with ".join([found[0], ", ".join(found[1:])] if found[1:] else found)


OWN = Linux()
"""Mpbench's own kernel."""
