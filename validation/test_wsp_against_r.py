"""The comparison of two selections, one of which R made."""

import pytest

from validation.wsp_against_r import without_the_last


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([4, 2, 7], ([4, 2, 7], False)),
        ([4, 2, 7, 0], ([4, 2, 7], True)),
        ([0, 2, 7, 0], ([0, 2, 7], True)),
        ([4, 2, 7, 2], ([4, 2, 7], True)),
        ([0], ([0], False)),
    ],
)
def test_a_step_too_many_is_found(
    indices: list[int], expected: tuple[list[int], bool]
) -> None:
    assert without_the_last(indices) == expected
