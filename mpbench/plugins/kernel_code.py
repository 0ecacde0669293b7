"""Controllers and schedulers of users, compiled when their experiment is read."""

import re
from typing import Any

from mpbench.errors import UserError
from mpbench.plugins.files import Plugin
from mpbench.spec import knobs


def checked(plugin: Plugin, trusted: bool) -> dict[str, Any]:
    """The text of a controller or scheduler, which compiles and has the file's name.

    trusted : whether it may be compiled where nothing confines the compiler

    Where no guest kernel is built, it is not compiled yet.

    Raises UserError, `file:line:column: reason`, in gcc's words.
    """
    from mpbench.kernel import cache, linking, recipe

    if not re.search(rf'"{plugin.name}"', plugin.text):
        reason = f'registers nothing called "{plugin.name}", as the file is called'
        raise UserError(f"{plugin.path}:1: {reason}; experiments use this name")
    kind = "scheduler" if plugin.kind == "schedulers" else "congestion_control"
    try:
        knobs.own(kind, plugin.name, plugin.text)
    except ValueError as error:
        raise UserError(f"{plugin.path}:{error}") from None
    kernel = cache.lookup(recipe.read("guest"))
    if kernel is not None:
        linking.check(kernel, plugin.name, plugin.text, plugin.path, trusted)
    return {"code": plugin.text}
