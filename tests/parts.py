"""Parts of traffic tools, for tests of more than one tool.

Tests of one tool stand in tests/tools/NAME and import its parts. Others take them from
here: a tool can be deleted, and then a test that is about it is left out.
"""

from typing import Any

import pytest

import tools


def part(tool: str, name: str) -> Any:
    """The module `name` of a tool's folder. Skips the test that asks for it, or the
    test file, if the registry does not have the tool."""
    if tool not in tools.ALL:
        pytest.skip(f"no tool is called {tool!r}", allow_module_level=True)
    return tools.part(tool, name)
