"""Keys that come later: the hashes of files that do not have them stay."""

from typing import Any

from mpbench.experiment_files import loads
from mpbench.spec import Spec
from mpbench.spec.experiment import ALWAYS_COUNTED
from tests.spec.files import TEXT


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
