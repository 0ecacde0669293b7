"""Each bit of each header, and each frame that is cut, is read or not as ever."""

from pathlib import Path

import pytest

from tests.capture.header_bits import EVERY, TABLE, line, readable_lengths

LEAST = 40
"""Bytes of an IPv4 header and a TCP header."""


def test_the_bits_that_decide_are_those_of_the_table(tmp_path: Path) -> None:
    table = TABLE.read_text(encoding="utf-8").splitlines()
    assert [line(tmp_path, name) for name in EVERY] == table


@pytest.mark.parametrize("name", EVERY)
def test_a_packet_is_read_with_its_headers_alone(tmp_path: Path, name: str) -> None:
    lengths, whole = readable_lengths(tmp_path, *EVERY[name])
    assert lengths == set(range(LEAST, whole + 1))
