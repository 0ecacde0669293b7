"""The programs that an experiment's commands name: whether guests have them."""

import shutil

from mpbench.backends.tools import SEARCH
from mpbench.errors import UserError
from mpbench.spec import Spec
from mpbench.spec.command import ENDS, Command
from mpbench.spec.messages import listing
from mpbench.spec.plugin_tool import PluginTool


def check(spec: Spec) -> None:
    """Raises UserError, one line per fault, for programs that this machine lacks.

    A guest has the programs of the machine.
    """
    faults = []
    for index, entry in enumerate(spec.traffic):
        if not isinstance(entry, Command):
            continue
        for end in ENDS:
            words = getattr(entry, end)
            if words is None or shutil.which(words[0], path=SEARCH):
                continue
            where = spec.where("traffic", index, end)
            reason = f"no program '{words[0]}' on this machine, whose programs guests"
            hint = "install its package, or name another"
            faults.append(f"{where}: traffic[{index}].{end}: {reason} have; {hint}")
    if faults:
        raise UserError(listing(faults))


def refuse_own_code(spec: Spec) -> None:
    """Raises UserError, in one line, for an experiment that brings programs of its own.

    Outside of a guest nothing keeps them from the machine's files.
    """
    for index, entry in enumerate(spec.traffic):
        if isinstance(entry, Command | PluginTool):
            where = f"{spec.where('traffic', index)}: traffic[{index}]"
            break
    else:
        if not spec.plugins.stored.metrics:
            return
        where = f"{spec.where('plugins')}: plugins"
    reason = "would run on this machine as root; --trust-plugins allows it"
    raise UserError(f"{where}: {reason}, and --backend virtual needs no trust")
