"""A kernel that is optimised by counts, and used in place of the plain one."""

from pathlib import Path

import pytest

from mpbench import kernel
from mpbench.errors import UserError
from mpbench.kernel import cache, linking

from .conftest import Lab


def train(linux: Path, folder: Path) -> Path:
    """Takes the place of guests that count what they execute."""
    assert linux.is_file()
    (folder / "#objects#net#one.gcda").write_text("counts")
    return folder


def calls(lab: Lab) -> list[str]:
    return [each for each in lab.calls.read_text().splitlines() if "linux" in each]


def test_it_is_used_in_place_of_the_plain_one(lab: Lab) -> None:
    plain = kernel.build("guest", lab.tree)
    assert not plain.guided
    guided = kernel.build("guest", lab.tree, train=train)
    assert guided.guided and guided.path.is_file()
    assert guided.folder.name == f"{plain.key}-guided"
    assert kernel.find() == guided
    assert kernel.build("guest") == guided
    assert cache.get(plain.key) == plain


def test_both_have_one_key_so_that_runs_of_either_resume(lab: Lab) -> None:
    plain = kernel.build("guest", lab.tree)
    guided = kernel.build("guest", lab.tree, train=train)
    assert guided.key == plain.key
    assert guided.info["recipe"] == plain.info["recipe"]


def test_it_is_compiled_to_count_and_then_with_the_counts(lab: Lab) -> None:
    kernel.build("guest", lab.tree, train=train)
    plain, counting, using = calls(lab)
    assert "PROFILE" not in plain
    assert "PROFILE_FLAGS=-fprofile-generate=artefacts" in counting
    assert "PROFILE_LINK=" in counting
    assert "PROFILE_FLAGS=-fprofile-use=counts" in using
    assert "PROFILE_LINK=" not in using
    assert [each.name for each in (lab.home / "work").iterdir()] == ["guest"]


def test_a_second_build_calls_nothing(lab: Lab) -> None:
    first = kernel.build("guest", lab.tree, train=train)
    made = lab.makes()
    assert kernel.build("guest", train=train) == first
    assert lab.makes() == made


def test_a_training_without_counts_leaves_the_plain_kernel(lab: Lab) -> None:
    plain = kernel.build("guest", lab.tree)

    def nothing(linux: Path, folder: Path) -> Path:
        return folder

    with pytest.raises(UserError, match="left no counts"):
        kernel.build("guest", lab.tree, train=nothing)
    assert kernel.find() == plain
    assert [each.name for each in (lab.home / "work").iterdir()] == ["guest"]


def test_a_damaged_one_is_refused(lab: Lab) -> None:
    guided = kernel.build("guest", lab.tree, train=train)
    guided.path.write_bytes(b"short")
    with pytest.raises(UserError, match="build --profile-guided --force` makes it"):
        kernel.find()


def test_controllers_of_users_are_linked_with_the_kernel_that_runs(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that is linked for the plain one is not taken for the guided one."""
    asked = []

    def link(built: kernel.Kernel, texts: dict[str, str], folder: Path) -> Path:
        asked.append(built.guided)
        (folder / "linux").write_text(f"{built.guided}")
        return folder / "linux"

    monkeypatch.setattr(linking, "_link", link)
    plain = kernel.build("guest", lab.tree)
    guided = kernel.build("guest", lab.tree, train=train)
    # The fake compiler makes the same bytes of both.
    guided.info["linux_hash"] = "another"
    one = linking.image(plain, {"own": "text"}, True)
    other = linking.image(guided, {"own": "text"}, True)
    assert asked == [False, True] and one != other


def test_clean_keeps_both(lab: Lab) -> None:
    kernel.build("guest", lab.tree, train=train)
    kept = [each.name for each in (lab.home / "kernels").iterdir()]
    assert len(kept) == 2
    cache.remove(cache.unneeded(False))
    assert sorted(each.name for each in (lab.home / "kernels").iterdir()) == sorted(
        kept
    )
