"""Keys that come later: the hashes of files that do not have them stay."""

from pathlib import Path
from typing import Any

import pytest

from mpbench.experiment_files import load, loads
from mpbench.spec import Spec
from mpbench.spec.digest import ALWAYS_COUNTED
from tests.spec.files import TEXT

STORED = Path(__file__).parent / "stored"
OF_0_2_0 = {
    "networks": "0b7267801c573ae37d59cd55d64aed9e7242781bd14ec330a55ead7de7daf24c",
    "topologies": "c5b5c4bd7e3906f2fa90685afe930c8aa5a26f2e47dbda0b8bae2557975c3e08",
}
"""The `spec_hash` that the release 0.2.0 wrote for each file of `stored/`."""


@pytest.mark.parametrize("name", OF_0_2_0)
def test_a_file_has_the_hash_that_the_release_gave_it(name: str) -> None:
    """The files have most keys of each section, so a new key in one of them counts only
    with a value: stored results and kept rows are known by this hash."""
    assert load(STORED / f"{name}.yaml").digest == OF_0_2_0[name]


class Later(Spec):
    fresh: int = 5


def later(**values: Any) -> Spec:
    """The experiment of TEXT, by a version that has one key more."""
    spec = loads(TEXT)
    own = {name: getattr(spec, name) for name in Spec.model_fields}
    return Later.model_construct(**own, **values)


def test_a_key_counts_only_with_a_value() -> None:
    assert later().digest == later(fresh=5).digest == loads(TEXT).digest
    assert later(fresh=0).digest != later().digest != later(fresh=6).digest


def test_the_keys_that_always_count_are_there() -> None:
    assert Spec.model_fields.keys() >= ALWAYS_COUNTED
