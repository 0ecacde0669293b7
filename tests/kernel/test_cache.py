"""The keys of kernels, and the commands that show and clean the cache."""

import json

import pytest
from click.testing import CliRunner

from mpbench import kernel
from mpbench.commands.kernel import CONFIGS, command
from mpbench.errors import UserError
from mpbench.kernel import cache, recipe, tools

from .conftest import Lab


@pytest.mark.parametrize(
    "name",
    [
        "guest.config",
        "overlay/net/ours.c",
        "overlay/new.c",
        "guest/init.c",
        "patches/0001-two.patch",
        "patches/0002-new.patch",
    ],
)
def test_every_input_changes_the_recipe(lab: Lab, name: str) -> None:
    before = recipe.read("guest").digest
    assert recipe.read("guest").digest == before
    path = lab.kernel / name
    path.write_text("x" + (path.read_text() if path.exists() else ""))
    assert recipe.read("guest").digest != before


def test_source_and_compiler_change_the_key(lab: Lab) -> None:
    guest = recipe.read("guest")
    keys = [("a", "b"), ("a", "c"), ("d", "b")]
    assert len({cache.key(guest, *pair) for pair in keys}) == 3
    assert cache.key(guest, "a", "b") == cache.key(guest, "a", "b")


def test_the_command_offers_every_configuration() -> None:
    assert tuple(recipe.CONFIGS) == CONFIGS


def test_no_checkout(lab: Lab) -> None:
    (lab.kernel / "guest.config").unlink()
    with pytest.raises(UserError, match="checkout"):
        kernel.find("guest")


def test_another_compiler_is_another_kernel_but_none_is_any(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kernel.build("guest", lab.tree)
    monkeypatch.setattr(tools, "compiler", lambda: "gcc 99")
    with pytest.raises(UserError, match="not built yet"):
        kernel.find("guest")
    monkeypatch.setattr(tools, "compiler", lambda: None)
    assert kernel.find("guest") == made


@pytest.mark.parametrize("damage", ["cut short", "changed", "gone"])
def test_a_damaged_kernel_is_refused(lab: Lab, damage: str) -> None:
    made = kernel.build("guest", lab.tree)
    content = made.path.read_bytes()
    if damage == "gone":
        made.info.pop("linux_hash")
        (made.folder / "info.json").write_text(json.dumps(made.info))
    else:
        cut = content[: len(content) // 2] if damage == "cut short" else content + b"x"
        made.path.write_bytes(cut)
    with pytest.raises(UserError, match="not the kernel that was built"):
        kernel.find("guest")


def test_path_and_info(lab: Lab) -> None:
    run = CliRunner().invoke
    missing = run(command, ["path"])
    assert isinstance(missing.exception, UserError)
    assert "`mpbench kernel build`" in str(missing.exception)
    made = kernel.build("guest", lab.tree)
    options = ["--config", "guest"]
    assert run(command, ["path", *options]).output == f"{made.path}\n"
    facts = json.loads(run(command, ["info", *options, "--json"]).output)
    assert facts == {**made.info, "path": str(made.path)}
    assert made.key in run(command, ["info", *options]).output


def test_clean_keeps_the_present_kernel(lab: Lab) -> None:
    old = kernel.build("guest", lab.tree)
    (lab.kernel / "overlay/net/ours.c").write_text("newer\n")
    present = kernel.build("guest", lab.tree)
    said = CliRunner().invoke(command, ["clean"]).output
    assert "MB freed" in said
    assert present.path.exists() and not old.path.exists()
    assert (lab.home / "sources").exists() and not (lab.home / "work").exists()
    assert CliRunner().invoke(command, ["clean", "--all"]).exit_code == 0
    assert [path.name for path in lab.home.iterdir()] == ["lock"]


def test_a_foreign_or_damaged_folder_is_no_kernel(lab: Lab) -> None:
    folder = lab.home / "kernels" / "0123456789abcdef"
    folder.mkdir(parents=True)
    assert list(cache.kernels()) == []
    (folder / "info.json").write_text("{")
    assert list(cache.kernels()) == []


@pytest.mark.parametrize(
    "content",
    [b"[]", b"{}", b'"x"', b"\xff", b"[" * 100_000]
    + [{name: value} for name in cache.TOLD for value in (None, 5)]
    + [{"key": "../../x"}],
)
def test_a_kernel_whose_description_is_damaged_is_none(
    lab: Lab, content: bytes | dict[str, object]
) -> None:
    """And a build makes it again in its place."""
    made = kernel.build("guest", lab.tree)
    if isinstance(content, dict):
        content = json.dumps(made.info | content).encode()
    (made.folder / "info.json").write_bytes(content)
    for words in (["path"], ["info"], ["clean"]):
        done = CliRunner().invoke(command, words).exception
        assert done is None or isinstance(done, UserError), words
    with pytest.raises(UserError, match="not built yet"):
        kernel.find("guest")
    assert kernel.build("guest", lab.tree).key == made.key
    assert kernel.find("guest").key == made.key


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"layer": 5}', b'{"version": 1}'])
def test_damaged_notes_of_sources_and_trees_are_none(lab: Lab, content: bytes) -> None:
    made = kernel.build("guest", lab.tree)
    for file in (*lab.home.glob("sources/*/source.json"), *lab.home.rglob("complete")):
        file.write_bytes(content)
    assert kernel.build("guest", lab.tree, force=True).key == made.key
