"""Files that a guest's first process may open."""

import resource

import pytest

from mpbench.guest import namespaces


@pytest.mark.parametrize(
    ("descriptor", "limits", "asked"),
    [
        (700, (1024, 4096), None),
        (800, (1024, 4096), (2048, 4096)),
        (3900, (4096, 4096), (8192, 8192)),
    ],
)
def test_the_limit_grows_with_the_namespaces(
    descriptor: int,
    limits: tuple[int, int],
    asked: tuple[int, int] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: found.append(pair))
    namespaces.allow_files(descriptor)
    assert found == ([asked] if asked else [])
