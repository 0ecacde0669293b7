"""The functions that a caller of the core uses, with what a caller gets wrong."""

import ctypes
from collections.abc import Iterator

import pytest

from analysis.capture import library
from analysis.capture.analyse import Settings
from tests.capture.kinds import raw

Core = tuple[ctypes.CDLL, int]


@pytest.fixture
def core() -> Iterator[Core]:
    loaded = library.load()
    handle = loaded.analyser_new(ctypes.byref(Settings().as_core()))
    yield loaded, handle
    loaded.analyser_free(handle)


def space(core: Core, number: int) -> tuple[int | None, int]:
    """Place for bytes of an input, and their number."""
    size = ctypes.c_size_t(7)
    where = core[0].analyser_buffer(core[1], number, ctypes.byref(size))
    return where, size.value


def test_inputs_that_cannot_be(core: Core) -> None:
    loaded, handle = core
    assert [loaded.analyser_add(handle, point) for point in (-1, 2, 0, 1)] == [
        -1,
        -1,
        0,
        1,
    ]
    assert space(core, -1) == space(core, 2) == (None, 0)
    assert [loaded.analyser_add(handle, 0) for _ in range(63)][-2:] == [63, -1]


def test_no_more_memory_than_there_is() -> None:
    loaded = library.load()
    settings = Settings(memory_bytes=3 << 20).as_core()
    handle = loaded.analyser_new(ctypes.byref(settings))
    assert [loaded.analyser_add(handle, 0) for _ in range(2)] == [0, -1]
    assert 2 << 20 <= loaded.analyser_memory(handle) <= 3 << 20
    assert loaded.analyser_short_of_memory(handle)
    loaded.analyser_free(handle)


def test_no_memory_for_an_input() -> None:
    loaded = library.load()
    settings = Settings(memory_bytes=10).as_core()
    handle = loaded.analyser_new(ctypes.byref(settings))
    assert loaded.analyser_add(handle, 0) == -1
    loaded.analyser_free(handle)


def test_a_buffer_holds_so_many_bytes(core: Core) -> None:
    loaded, handle = core
    loaded.analyser_add(handle, 0)
    where, size = space(core, 0)
    assert (where is not None, size) == (True, 2 << 20)
    loaded.analyser_fed(handle, 0, size + 1)
    assert space(core, 0) == (where, size)
    loaded.analyser_fed(handle, 0, 100)
    assert space(core, 0) == ((where or 0) + 100, size - 100)
    loaded.analyser_fed(handle, 5, 100)
    loaded.analyser_end(handle, 5)
    assert len(library.rows(loaded, handle, "inputs")) == 1


def test_tables_that_are_not_there(core: Core) -> None:
    loaded, handle = core
    count = ctypes.c_size_t(7)
    for number in (-1, len(library.TABLES)):
        assert loaded.analyser_fields(number) == b""
        assert not loaded.analyser_rows(handle, number, ctypes.byref(count))
        assert count.value == 0
        loaded.analyser_clear(handle, number)


def test_one_byte_at_a_time(core: Core) -> None:
    """Whatever piece comes, the same is found."""
    loaded, handle = core
    content = raw("short", "client")
    assert loaded.analyser_add(handle, 0) == 0
    at = 0
    while (wanted := loaded.analyser_run(handle)) != library.DONE:
        assert wanted == 0
        where, size = space(core, 0)
        assert where and size
        if at == len(content):
            loaded.analyser_end(handle, 0)
            continue
        ctypes.memmove(where, content[at : at + 1], 1)
        loaded.analyser_fed(handle, 0, 1)
        at += 1
    (row,) = library.rows(loaded, handle, "inputs")
    assert (row["bytes"], row["packets"], row["fault"]) == (len(content), 93, 0)
    assert len(library.rows(loaded, handle, "connections")) == 5
    loaded.analyser_clear(handle, library.TABLES.index("connections"))
    assert not len(library.rows(loaded, handle, "connections"))
