"""The programs that an experiment's commands name: whether its hosts have them."""

import re
import shutil
from collections.abc import Callable, Iterator

from mpbench import image
from mpbench.backends import roots
from mpbench.backends.tools import SEARCH
from mpbench.errors import UserError
from mpbench.image import listing as files
from mpbench.spec import Spec, middlebox_checks
from mpbench.spec.messages import listing

NFT = "nft"
"""The program that takes the rules of middleboxes."""
ON_MACHINE = "on this machine, whose programs guests have; install its package"
IN_IMAGE = (
    "in the root image of guests; `mpbench image lock --add PACKAGE` and "
    "`mpbench image build` add a Debian package, and MPBENCH_ROOT=host shows guests "
    "this machine's programs"
)


def check(spec: Spec, backend: str = "virtual") -> None:
    """Raises UserError, one line per fault, for programs that hosts of a run lack.

    A guest has the programs of its root: those of the root image, or the machine's. A
    fake run needs none.
    """
    if backend == "fake":
        return
    has, lacking = _known(backend)
    own = spec.plugins.stored.programs
    faults = list(_own_programs(spec, backend, has)) if own else []
    for index, entry in enumerate(spec.traffic):
        for end, program in entry.commands.items():
            if program in own or has(program):
                continue
            where = spec.where("traffic", index, end)
            place = f"{where}: traffic[{index}].{end}"
            faults.append(f"{place}: no program '{program}' {lacking}")
    if middlebox_checks.has_boxes(spec) and not has(NFT):
        where = spec.where("middlebox" if spec.middlebox else "cases")
        faults.append(f"{where}: middlebox: no program '{NFT}' {lacking}")
    if faults:
        raise UserError(listing(faults))


def _own_programs(
    spec: Spec, backend: str, has: Callable[[str], bool]
) -> Iterator[str]:
    """Faults of the user's own programs: names that are taken, and libraries that
    guests lack."""
    in_image = backend == "virtual" and roots.kind() == roots.IMAGE
    made = image.find() if in_image and image.lookup() else None
    for name, program in spec.plugins.stored.programs.items():
        where = f"{spec.where('plugins')}: plugins.programs.{name}"
        if made is not None and has(name):
            yield f"{where}: a program of guests has this name; give another one"
        if made is None or not program.libraries:
            continue
        there = files.libraries(made.path)
        lacking = [each for each in program.libraries if each not in there]
        if lacking:
            yield (
                f"{where}: needs {lacking[0]}, which guests lack; link it statically, "
                "or add its Debian package (`mpbench image lock --add PACKAGE`)"
            )
        version = re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", made.manifest.get("libc6", ""))
        if program.glibc and version and _later(program.glibc, version[1]):
            yield (
                f"{where}: needs glibc {program.glibc}, and guests have {version[1]}; "
                "link it statically, or compile it on Debian 12"
            )


def _later(one: str, other: str) -> bool:
    """Whether a version is later than another."""
    return [*map(int, one.split("."))] > [*map(int, other.split("."))]


def refuse_own_code(spec: Spec) -> None:
    """Raises UserError, in one line, for an experiment that brings programs of its own.

    Outside of a guest nothing keeps them from the machine's files.
    """
    for index, entry in enumerate(spec.traffic):
        if entry.own_code:
            where = f"{spec.where('traffic', index)}: traffic[{index}]"
            break
    else:
        if not spec.plugins.stored.metrics:
            return
        where = f"{spec.where('plugins')}: plugins"
    reason = "would run on this machine as root; --trust-plugins allows it"
    raise UserError(f"{where}: {reason}, and --backend virtual needs no trust")


def _known(backend: str) -> tuple[Callable[[str], bool], str]:
    """Whether there is a program of a name, and what to say if there is none."""
    if backend == "virtual" and roots.kind() == roots.IMAGE:
        if (made := image.lookup()) is not None:
            return made.programs.__contains__, IN_IMAGE
        return lambda name: True, ""  # the backend says that there is no image
    return lambda name: shutil.which(name, path=SEARCH) is not None, ON_MACHINE
