"""The section `kernels:`: kernels other than mpbench's own, by the names of labels."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from jobs import linux as record
from jobs import reading
from jobs.linux import MOST_OPTIONS, MOST_PATCH_BYTES, MOST_PATCHES, Linux
from mpbench.kernel import archive, git, pinned, releases
from mpbench.spec.messages import shortened
from mpbench.spec.values import Name, Part
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, SCHEDULERS

MOST_KERNELS = 50
QEMU = "qemu"
LOCK = ".lock"
"""The end of the name of the file that locks the kernels of an experiment file."""
RELEASE = r"[1-9][0-9]?\.[0-9]{1,3}(\.[0-9]{1,4})?"
"""A release whose binary QEMU boots: the newest of a series, or a version."""
WRITTEN = (
    *("linux", "release", "machine", "packages", "git", "commit", "dirty", "tree"),
    *("image", "modules", "binary"),
    "adds",
)
"""Keys that enter the hash of a file's content only where the file has them."""
MOST_ADDED = 50
ADDED_NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
"""Linux keeps 15 characters of a name."""
ADDED_KEYS = {"congestion_control": "controllers", "scheduler": "schedulers"}
"""The key of a case, and the key below `adds` with names for it."""
KNOWN = {"controllers": CONGESTION_CONTROLS, "schedulers": SCHEDULERS}


def _linux(value: object) -> object:
    """A release. YAML reads 6.10 as the number 6.1, so a number is refused."""
    if not isinstance(value, str):
        raise ValueError(f"{value} is no text; write it in quotes, such as '6.12'")
    try:
        archive.series(value)
    except ValueError as error:
        raise ValueError(
            f"{error}; write e.g. '6.12', '6.12.118' or '7.4~rc3'"
        ) from None
    return value


def _commit(value: object) -> object:
    """The name of a commit. YAML reads a hash of digits alone as a number."""
    if not isinstance(value, str):
        raise ValueError(f"{value} is no text; write it in quotes")
    if not git.NAME.fullmatch(value) or ".." in value:
        hint = "a branch, a tag or a hash works"
        raise ValueError(f"'{shortened(value)}' is no name of a commit; {hint}")
    return value


def _option_name(value: str) -> str:
    return str(_read(record.OptionName, value, "write e.g. CONFIG_HZ"))


def _option_value(value: object) -> object:
    if isinstance(value, bool):
        return "y" if value else "n"
    text = str(value) if isinstance(value, int) else value
    return _read(record.OptionValue, text, "write y, n or a whole number")


def _patch_name(value: str) -> str:
    hint = "letters, digits and '._+-' work"
    return str(_read(record.PatchName, value, hint))


def _read(annotation: Any, value: object, hint: str) -> object:
    try:
        return reading.reader(annotation)(value)
    except ValueError as error:
        raise ValueError(f"{error}; {hint}") from None


def _added_name(value: str) -> str:
    if not ADDED_NAME.fullmatch(value):
        reason = f"'{shortened(value)}' is no name in Linux"
        raise ValueError(f"{reason}; up to 15 small letters, digits and '_' work")
    return value


def _patches_schema(schema: JsonDict) -> None:
    """In the JSON Schema: the names of files."""
    text: JsonDict = {"type": "string"}
    schema.clear()
    schema |= {"anyOf": [text, {"type": "array", "items": text}]}


class Patch(Part):
    """A patch's file, once it has been read."""

    name: Annotated[str, AfterValidator(_patch_name)]
    text: Annotated[str, Field(min_length=1, max_length=MOST_PATCH_BYTES)]


class Release(Part):
    """The package of a release, once it has been looked up."""

    package: str
    sha256: str

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self.job()
        return self

    def job(self) -> record.Release:
        """The release, in the form of a job. Raises ValueError for one that is none."""
        made = reading.reader(record.Release)(self.model_dump())
        assert isinstance(made, record.Release)
        return made


class Tree(Part):
    """A commit of a git repository, once it has been looked up."""

    commit: str
    tree: str
    version: str

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self.job()
        return self

    def job(self) -> record.Tree:
        """The commit, in the form of a job. Raises ValueError for one that is none."""
        made = reading.reader(record.Tree)(self.model_dump())
        assert isinstance(made, record.Tree)
        return made


class Package(Part):
    """A package of Debian's, pinned; see `jobs.linux.Package`."""

    name: str
    version: str
    suite: str
    path: str
    bytes: int
    sha256: str

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self.record()
        return self

    def record(self) -> record.Package:
        """The package, in the form of a job. Raises ValueError for one that is none."""
        made = reading.reader(record.Package)(self.model_dump())
        assert isinstance(made, record.Package)
        return made


class Binary(Part):
    """A kernel image, once it has been read."""

    version: str
    sha256: str
    modules: str | None = None

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self.job()
        return self

    def job(self) -> record.Binary:
        """The image, in the form of a job. Raises ValueError for one that is none."""
        made = reading.reader(record.Binary)(self.model_dump())
        assert isinstance(made, record.Binary)
        return made


class Adds(Part):
    """Names that a kernel has beside those that mpbench knows."""

    controllers: tuple[Annotated[str, AfterValidator(_added_name)], ...] = Field(
        default=(), max_length=MOST_ADDED, description="Congestion controllers of TCP."
    )
    schedulers: tuple[Annotated[str, AfterValidator(_added_name)], ...] = Field(
        default=(), max_length=MOST_ADDED, description="Packet schedulers of MPTCP."
    )

    def names(self, key: str) -> tuple[str, ...]:
        """The names below a key. key : `controllers` or `schedulers`"""
        return self.controllers if key == "controllers" else self.schedulers


class Kernel(Part):
    """A kernel, by what distinguishes it from mpbench's own."""

    linux: Annotated[str, BeforeValidator(_linux)] | None = Field(
        default=None,
        description="The release of Linux: the newest of a series such as '6.12', or a"
        " version; the base's, or mpbench's own, if not said.",
    )
    release: Release | None = Field(
        default=None,
        description="The package that has the release. mpbench writes it into results;"
        " leave the key out.",
    )
    git: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None,
        description="A git repository with Linux, in the place of a release: a folder,"
        " relative to this file, or an https address.",
    )
    commit: Annotated[str, BeforeValidator(_commit)] | None = Field(
        default=None,
        description="Of git: a branch, a tag or a hash; the one that is checked out if"
        " not said.",
    )
    dirty: bool = Field(
        default=False,
        description="Of git: whether changes that are in no commit belong to it.",
    )
    tree: Tree | None = Field(
        default=None,
        description="The commit that git and commit stand for. mpbench writes it into"
        " results; leave the key out.",
    )
    machine: Literal["qemu"] | None = Field(
        default=None,
        description="qemu: Debian's own binary of this release, or an image of your"
        " own, in a machine that QEMU emulates.",
    )
    image: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None,
        description="Of machine: qemu: the file of a kernel for x86-64 (bzImage),"
        " relative to this file, in the place of Debian's.",
    )
    modules: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(
        default=None,
        description="Of image: a folder with its modules, as `make modules_install`"
        " writes it; none if all it needs is built in.",
    )
    binary: Binary | None = Field(
        default=None,
        description="The version and hashes that image and modules stand for. mpbench"
        " writes it into results; leave the key out.",
    )
    packages: Annotated[tuple[Package, ...], Field(max_length=record.MOST_PACKAGES)] = (
        Field(
            default=(),
            description="The packages of Debian with this kernel. mpbench writes them"
            " into results; leave the key out.",
        )
    )
    base: Name | None = Field(
        default=None, description="Another kernel of the file, which it begins with."
    )
    lab: Literal["all", "none"] | None = Field(
        default=None,
        description="Whether it has mpbench's changes of Linux's network code; those of"
        " the base, or all, if not said.",
    )
    patches: Annotated[tuple[Patch, ...], Field(max_length=MOST_PATCHES)] = Field(
        default=(),
        description="Files with patches of Linux, relative to this one, applied in this"
        " order.",
        json_schema_extra=_patches_schema,
    )
    options: dict[
        Annotated[str, AfterValidator(_option_name)],
        Annotated[str, BeforeValidator(_option_value)],
    ] = Field(
        default={},
        max_length=MOST_OPTIONS,
        description="Options of Linux's configuration: y, n or a number.",
    )
    adds: Adds | None = Field(
        default=None,
        description="Controllers and schedulers that its patches, options or repository"
        " add, so that cases can name them.",
    )

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A key that a file does not have does not enter the hash of its content."""
        values: dict[str, Any] = handler(self)
        for key in WRITTEN:
            if not getattr(self, key):
                values.pop(key, None)
        return values


def added(kernels: Any, key: str) -> tuple[str, ...]:
    """The names that all kernels of a file add; none of those that are faulty.

    kernels : the section as the file gives it
    key : `controllers` or `schedulers`
    """
    found: dict[str, None] = {}
    for kernel in kernels.values() if isinstance(kernels, dict) else ():
        raw = kernel.get("adds") if isinstance(kernel, dict) else None
        try:
            adds = Adds.model_validate(raw) if isinstance(raw, dict) else Adds()
        except ValidationError:
            continue
        found |= dict.fromkeys(adds.names(key))
    return tuple(found)


Kernels = Annotated[dict[Name, Kernel], Field(max_length=MOST_KERNELS)]


def is_address(place: str) -> bool:
    """Whether a repository is an address, and no folder."""
    return git.ADDRESS.fullmatch(place) is not None


def unread(kernels: Mapping[str, Kernel], name: str) -> str | None:
    """The kernel whose repository has still to be read for this one; None for none."""
    here: str | None = name
    while here is not None:
        if kernels[here].git is not None and kernels[here].tree is None:
            return here
        here = kernels[here].base
    return None


def of_archive(linux: str) -> bool:
    """Whether a release is another one than that of mpbench's own Linux."""
    lock = pinned.read()
    return linux not in (releases.OWN, lock.version, lock.package)


def writes_events(kernels: Mapping[str, Kernel], name: str | None) -> bool:
    """Whether the kernel of a label writes the events of connections.

    name : None for mpbench's own kernel
    A label that cannot be is told by `check`, and counts as a kernel that does.
    """
    if name is None or name not in kernels:
        return True
    try:
        return merged(kernels, name)[0].lab
    except (KeyError, ValueError):
        return True


def resolved(kernels: Mapping[str, Kernel], name: str) -> Linux:
    """The kernel of a label, with what it takes over from its bases.

    Raises ValueError for bases in a circle, for patches that jobs cannot hold, and for
    a release whose package has not been looked up.
    """
    linux, asked = merged(kernels, name)
    if kernels[name].image is not None and linux.binary is None:
        raise ValueError(f"kernels.{name}: its image has not been read")
    if asked is not None and linux.release is None:
        raise ValueError(
            f"kernels.{name}: the package of Linux {asked} is not known yet;"
            " `mpbench kernel lock FILE` looks it up"
        )
    waiting = unread(kernels, name)
    if waiting is not None:
        raise ValueError(
            f"kernels.{waiting}: its commit is not known yet;"
            " `mpbench kernel lock FILE` looks it up"
        )
    return linux


def merged(kernels: Mapping[str, Kernel], name: str) -> tuple[Linux, str | None]:
    """The kernel, and the release that is to be built for it, if there is one."""
    own = kernels[name]
    if own.machine is not None:
        packages = tuple(package.record() for package in own.packages)
        binary = own.binary.job() if own.binary else None
        return Linux(lab=False, packages=packages, binary=binary), None
    chain: list[str] = []
    here: str | None = name
    while here is not None:
        if here in chain:
            raise ValueError(f"its bases lead back to '{here}'; take one of them away")
        chain.append(here)
        here = kernels[here].base
    lab, options = True, dict[str, str]()
    asked, release, tree = None, None, None
    patches: list[record.Patch] = []
    for label in reversed(chain):
        kernel = kernels[label]
        lab = lab if kernel.lab is None else kernel.lab == "all"
        options |= kernel.options
        if kernel.linux is not None:
            asked = kernel.linux if of_archive(kernel.linux) else None
            release = kernel.release.job() if kernel.release and asked else None
        if kernel.tree is not None:
            tree = kernel.tree.job()
        if kernel.linux is not None:
            tree = None
        patches += [record.Patch(name=p.name, text=p.text) for p in kernel.patches]
    made = Linux(
        lab=lab,
        patches=tuple(patches),
        options=options or None,
        release=release,
        tree=tree,
    )
    made.check()
    return made, asked
