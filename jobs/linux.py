"""The kernel of a run, where it is another one than mpbench's own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Bounds, Length, Matching
from jobs.middleboxes import KERNEL_OPTIONS

MOST_PATCHES = 100
MOST_OPTIONS = 100
MOST_PATCH_BYTES = 1 << 18
"""Characters of a patch's text."""
MOST_PACKAGES = 5
MOST_PACKAGE_BYTES = 500_000_000

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


def _matching(pattern: str, what: str) -> Matching:
    return Matching(re.compile(pattern), what)


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package of Debian's archive, pinned.

    suite : of the archive, the suite that had the package
    path : of the package's file, below the archive's address
    bytes, sha256 : of this file
    """

    name: Annotated[
        str, _matching(r"linux-[a-z0-9][a-z0-9+.-]{1,98}", "a package of Linux")
    ]
    version: Annotated[
        str, _matching(r"[0-9][A-Za-z0-9.+~-]{0,98}", "a package's version")
    ]
    suite: Annotated[str, _matching(r"[a-z]{2,20}(-[a-z]{2,20})?", "a suite")]
    path: Annotated[
        str,
        _matching(
            r"pool/([A-Za-z0-9+~_-][A-Za-z0-9.+~_-]{0,98}/){1,9}"
            r"[A-Za-z0-9][A-Za-z0-9.+~_%-]{0,198}\.deb",
            "the path of a package",
        ),
    ]
    bytes: Annotated[int, Bounds(least=1, most=MOST_PACKAGE_BYTES)]
    sha256: Annotated[str, _matching(r"[0-9a-f]{64}", "a SHA-256")]

    @property
    def upstream(self) -> str:
        """The version of Linux in the package."""
        return re.split(r"[-~]", self.version)[0]


@dataclass(frozen=True, kw_only=True)
class Binary:
    """A kernel image of the user's own, and its modules.

    version : of Linux, as the image says
    sha256 : of the image's file
    modules : SHA-256 over the modules that it may load; None without any
    """

    version: Annotated[
        str,
        _matching(
            r"[1-9][0-9]?\.[0-9]{1,3}(\.[0-9]{1,4})?[A-Za-z0-9.+_~-]{0,80}",
            "the version of a kernel image",
        ),
    ]
    sha256: Annotated[str, _matching(r"[0-9a-f]{64}", "a SHA-256")]
    modules: Annotated[str, _matching(r"[0-9a-f]{64}", "a SHA-256")] | None = None

    @property
    def series(self) -> str:
        """The first two numbers of the version: '7.3'."""
        found = re.match(r"[0-9]+\.[0-9]+", self.version)
        assert found is not None
        return found[0]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A release of Linux other than the one of mpbench's own kernel.

    package : version of Debian's source package
    sha256 : of the package's file
    """

    package: Annotated[
        str,
        Matching(
            re.compile(
                r"[1-9][0-9]?\.[0-9]{1,3}(\.[0-9]{1,4}|~rc[0-9]{1,2})"
                r"-[0-9][0-9a-z.+~]{0,30}"
            ),
            "the version of a source package of Linux",
        ),
    ]
    sha256: Annotated[str, Matching(re.compile(r"[0-9a-f]{64}"), "a SHA-256")]

    @property
    def version(self) -> str:
        """The version of Linux: '6.12.118', and '7.3~rc7' of a candidate."""
        return self.package.partition("-")[0]

    @property
    def makefile(self) -> str:
        """The version in Linux's own spelling: '6.12.118', or '7.3.0-rc7'."""
        return self.version.replace("~rc", ".0-rc")

    @property
    def series(self) -> str:
        """The version without its last number: '6.12'."""
        return ".".join(re.split(r"[.~]", self.version)[:2])

    @property
    def name(self) -> str:
        """The name of the package."""
        return f"linux-source-{self.series}"

    @property
    def file(self) -> str:
        """The name of the package's file."""
        return f"{self.name}_{self.package}_all.deb"


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A commit of a git repository with Linux.

    commit, tree : git's hashes of the commit and of its files
    version : of Linux, as its Makefile says
    """

    commit: Annotated[str, _matching(r"[0-9a-f]{40}", "the hash of a commit")]
    tree: Annotated[str, _matching(r"[0-9a-f]{40}", "the hash of a tree")]
    version: Annotated[
        str,
        _matching(
            r"[1-9][0-9]?\.[0-9]{1,3}\.[0-9]{1,4}(-rc[0-9]{1,2})?",
            "a version of Linux",
        ),
    ]

    @property
    def series(self) -> str:
        """The version without its last number: '7.3'."""
        return self.version.partition("-")[0].rpartition(".")[0]


@dataclass(frozen=True, kw_only=True)
class Linux:
    """The differences of a run's kernel from mpbench's own.

    lab : whether it has mpbench's changes of Linux's network code; without them it is
        Linux as released, in virtual time
    packages : of Debian, with a kernel that nobody changed. It boots in QEMU, in place
        of User Mode Linux
    binary : an image of the user's own that boots in QEMU, in the place of packages
    patches : applied in this order, after mpbench's own
    options : of the kernel's configuration, beside those of mpbench's
    release : None for the Linux that mpbench's own kernel is built of
    tree : a commit in the place of a release
    """

    lab: bool = True
    packages: Annotated[tuple[Package, ...], Length(0, MOST_PACKAGES)] = ()
    patches: Annotated[tuple[Patch, ...], Length(0, MOST_PATCHES)] = ()
    options: (
        Annotated[Mapping[OptionName, OptionValue], Length(1, MOST_OPTIONS)] | None
    ) = None
    release: Release | None = None
    tree: Tree | None = None
    binary: Binary | None = None

    def check(self) -> None:
        names = [patch.name for patch in self.patches]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"patches: two are called {name!r}")
        others = (self.lab, self.patches, self.options, self.release, self.tree)
        if self.release and self.tree:
            raise ValueError("release and tree: a kernel is built of one of them")
        if self.packages and self.binary:
            raise ValueError("packages and binary: a kernel is one of them")
        if self.in_qemu and any(others):
            key = "packages" if self.packages else "binary"
            reason = "a kernel that boots in QEMU is taken as it is"
            raise ValueError(f"{key}: {reason}, without lab, patches and options")

    @property
    def series(self) -> str | None:
        """The series of a release or commit; None for that of mpbench's own Linux."""
        built_of = self.release or self.tree
        return None if built_of is None else built_of.series

    @property
    def in_qemu(self) -> bool:
        """Whether it boots in QEMU, and not as a process of the host."""
        return bool(self.packages) or self.binary is not None

    @property
    def words(self) -> str:
        """The kernel in a few words, for messages."""
        if self.packages:
            return f"Debian's Linux {self.packages[0].version} in QEMU"
        if self.binary is not None:
            return f"Linux {self.binary.version} of an image in QEMU"
        found = ["the lab's Linux" if self.lab else "stock Linux"]
        if self.release is not None:
            found[0] += f" {self.release.version}"
        if self.tree is not None:
            found[0] += f" {self.tree.version} of commit {self.tree.commit[:12]}"
        if self.patches:
            number = len(self.patches)
            found.append(f"{number} patch{'' if number == 1 else 'es'}")
        options = dict(self.options or {})
        if options.items() >= KERNEL_OPTIONS.items():
            options = {k: v for k, v in options.items() if k not in KERNEL_OPTIONS}
            found.append("netfilter")
        if options:
            found.append(" ".join(f"{k}={v}" for k, v in sorted(options.items())))
        return " with ".join([found[0], ", ".join(found[1:])] if found[1:] else found)


OWN = Linux()
"""Mpbench's own kernel."""
