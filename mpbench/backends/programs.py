"""The programs that an experiment's commands name: whether its hosts have them."""

import shutil
from collections.abc import Callable

from mpbench import image
from mpbench.backends import roots
from mpbench.backends.tools import SEARCH
from mpbench.errors import UserError
from mpbench.spec import Spec
from mpbench.spec.messages import listing

ON_MACHINE = "on this machine, whose programs guests have; install its package"
IN_IMAGE = (
    "in the root image of guests; `mpbench image lock --add PACKAGE` and "
    "`mpbench image build` add a Debian package, and MPBENCH_ROOT=host shows guests "
    "this machine's programs"
)


def check(spec: Spec, backend: str = "virtual") -> None:
    """Raises UserError, one line per fault, for programs that hosts of a run lack.

    A guest has the programs of its root: those of the root image, or the machine's.
    """
    has, lacking = _known(backend)
    faults = []
    for index, entry in enumerate(spec.traffic):
        for end, program in entry.commands.items():
            if has(program):
                continue
            where = spec.where("traffic", index, end)
            place = f"{where}: traffic[{index}].{end}"
            faults.append(f"{place}: no program '{program}' {lacking}")
    if faults:
        raise UserError(listing(faults))


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
