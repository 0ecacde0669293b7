"""The files that a build makes, and the state after a build that fails."""

import io
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from mpbench import kernel
from mpbench.errors import UserError
from mpbench.kernel import cache, compile, sources, tools
from mpbench.kernel.building import build
from mpbench.kernel.progress import Progress

from .conftest import Lab

pytestmark = pytest.mark.slow


def built(lab: Lab, **options: object) -> cache.Kernel:
    return kernel.build("guest", lab.tree, **options)  # type: ignore[arg-type]


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.01)


def test_a_build_leaves_the_kernel_and_what_explains_it(lab: Lab) -> None:
    made = built(lab)
    names = {path.name for path in made.folder.iterdir()}
    assert names == {"linux", "config", "build.log", "info.json"}
    assert made.info["version"] == "7.3.9"
    assert "make ARCH=um" in (made.folder / "build.log").read_text()
    assert kernel.find("guest") == made
    assert list((lab.home / "logs").iterdir()) == []


def test_a_second_build_calls_nothing(lab: Lab) -> None:
    first = built(lab)
    assert built(lab) == first
    assert kernel.build("guest") == first
    assert lab.makes() == 1


def test_force_builds_again(lab: Lab) -> None:
    first = built(lab)
    assert built(lab, force=True).key == first.key
    assert lab.makes() == 2
    assert [made.key for made in cache.kernels()] == [first.key]


def test_the_overlay_is_added_and_the_source_does_not_change(lab: Lab) -> None:
    built(lab)
    tree = lab.home / "work" / "guest" / "tree"
    assert (tree / "net/ours.c").read_text() == "ours\n"
    assert (tree / "lib/one.c").read_text() == "two\n"
    assert not (tree / "drivers/gpu/big.c").exists()
    assert (tree / "drivers/gpu/Kconfig").exists()
    (source,) = sources.stored()
    assert (source.tree / "lib/one.c").read_text() == "one\n"
    assert (lab.tree / "lib/one.c").read_text() == "one\n"


def test_a_change_of_the_overlay_touches_only_what_changed(lab: Lab) -> None:
    first = built(lab)
    tree = lab.home / "work" / "guest" / "tree"
    before = (tree / "lib/one.c").stat().st_mtime_ns
    (lab.kernel / "overlay/net/ours.c").write_text("ours, newer\n")
    (lab.kernel / "overlay/net/more.c").write_text("more\n")
    assert built(lab).key != first.key
    assert (tree / "net/ours.c").read_text() == "ours, newer\n"
    assert (tree / "lib/one.c").stat().st_mtime_ns == before
    (lab.kernel / "overlay/net/more.c").unlink()
    (lab.kernel / "patches/0001-two.patch").unlink()
    built(lab)
    assert not (tree / "net/more.c").exists()
    assert (tree / "lib/one.c").read_text() == "one\n"


def test_another_configuration_begins_with_the_objects_there(lab: Lab) -> None:
    built(lab)
    objects = lab.home / "work" / "guest" / "tree" / "objects"
    (objects / "one.o").write_text("an object")
    kernel.build("debug", lab.tree)
    debug = lab.home / "work" / "debug" / "tree"
    assert (debug / "objects" / "one.o").read_text() == "an object"
    assert (debug / "lib/one.c").read_text() == "two\n"
    assert (debug / "objects" / "initramfs" / "init").exists()


def test_of_several_configurations_the_most_similar_gives_its_objects(lab: Lab) -> None:
    kernel.build("guest", lab.tree)
    kernel.build("selftests-stock", lab.tree)
    stock = lab.home / "work" / "selftests-stock" / "tree"
    (stock / "objects" / "one.o").write_text("with the kernel's checks")
    kernel.build("selftests", lab.tree)
    tree = lab.home / "work" / "selftests" / "tree"
    assert (tree / "objects" / "one.o").read_text() == "with the kernel's checks"
    assert (tree / "net/ours.c").read_text() == "ours\n"
    assert not (stock / "net/ours.c").exists()


def test_a_tree_and_a_tarball_of_it(lab: Lab) -> None:
    built(lab)
    tarball = lab.folder / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", lab.folder, "linux"], check=True)
    made = kernel.build("guest", tarball)
    assert made.info["source"] == str(tarball)
    assert kernel.find("guest") == made
    assert kernel.find("guest") == kernel.build("guest")


def test_linux_fetched_after_it_was_given(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tarball = lab.folder / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", lab.folder, "linux"], check=True)
    given = kernel.build("guest", tarball)
    (lab.kernel / "overlay/net/ours.c").write_text("newer\n")
    monkeypatch.setattr(sources, "_pinned", lambda *rest: (tarball, "the archive"))
    fetched = kernel.build("guest")
    assert fetched.info["source"] == "the archive"
    assert fetched.info["source_hash"] == given.info["source_hash"]
    assert [source.fetched for source in sources.stored()] == [True]


def test_a_failed_build_names_its_log(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "fail")
    shown = io.StringIO()
    with pytest.raises(UserError) as error:
        build("guest", lab.tree, 1, False, Progress(shown))
    (log,) = (lab.home / "logs").iterdir()
    assert str(log) in str(error.value)
    assert "expected identifier" in log.read_text()
    assert "lib/one.c:1:1: error: expected identifier" in shown.getvalue()
    assert list(cache.kernels()) == []
    monkeypatch.setenv("FAKE", "")
    built(lab)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_leaves_no_half_kernel(
    lab: Lab, how: signal.Signals
) -> None:
    process = lab.start(fake="hang")
    wait_for(Path(f"{lab.calls}.hangs"))
    process.send_signal(how)
    _, errors = process.communicate(timeout=240)
    killed = how is signal.SIGKILL
    assert process.returncode == (-how if killed else 130)
    assert list(cache.kernels()) == []
    (log,) = (lab.home / "logs").iterdir()
    if not killed:
        assert str(log) in errors
        stale = lab.home / "kernels" / f"{cache.NEW}left"
        stale.mkdir(parents=True)
        objects = lab.home / "work" / "guest" / "tree" / "objects"
        (objects / "half.o").write_text("half an ob")
        built(lab)
        assert not stale.exists()
        assert not (objects / "half.o").exists()


def test_a_second_build_waits_for_the_first(lab: Lab) -> None:
    first = lab.start(fake="slow")
    wait_for(Path(f"{lab.calls}.hangs"))
    second = lab.start()
    assert first.wait(120) == 0
    out, errors = second.communicate(timeout=240)
    assert "waiting for another mpbench" in errors
    assert Path(out.strip()) == kernel.find("guest").path
    assert lab.makes() == 1


def test_an_option_that_was_not_taken_is_named(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "lost")
    with pytest.raises(UserError, match="CONFIG_MPTCP=y"):
        built(lab)


@pytest.mark.parametrize(
    ("own", "missing"),
    [
        ({}, ["CONFIG_MPTCP=y", "CONFIG_INET_MPTCP_DIAG=y", "CONFIG_HZ=100"]),
        ({"CONFIG_MPTCP": "n"}, ["CONFIG_MPTCP=y", "CONFIG_HZ=100"]),
        ({"CONFIG_MPTCP": "n", "CONFIG_INET_MPTCP_DIAG": "y"}, None),
    ],
)
def test_options_go_with_one_that_a_user_turns_off(
    own: dict[str, str], missing: list[str] | None
) -> None:
    """Without a line, an option depends on another; with one, it was turned off."""
    fragment = "CONFIG_NET=y\nCONFIG_MPTCP=y\nCONFIG_INET_MPTCP_DIAG=y\nCONFIG_HZ=100\n"
    config = "CONFIG_NET=y\n# CONFIG_MPTCP is not set\nCONFIG_HZ=250\n"
    all_three = ["CONFIG_MPTCP=y", "CONFIG_INET_MPTCP_DIAG=y", "CONFIG_HZ=100"]
    found = compile.not_taken(fragment, config, own)
    assert [f"{name}={value}" for name, value in found.items()] == (
        missing or all_three
    )


def test_a_missing_tool_is_named_with_its_package(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name: None if name == "xz" else there(name)
    )
    with pytest.raises(UserError, match=r"xz \(Debian package xz-utils\)"):
        built(lab)


def test_too_little_space(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "FREE_BYTES", 10**18)
    with pytest.raises(UserError, match="GB free"):
        built(lab)


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("absent", "no such file"),
        ("empty", "no Makefile"),
        ("old", "this is Linux 6.12.1"),
        ("text", "not a tarball"),
    ],
)
def test_a_source_that_is_none(lab: Lab, what: str, says: str) -> None:
    path = lab.folder / what
    if what in ("empty", "old"):
        path.mkdir()
    if what == "old":
        text = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\nEXTRAVERSION =\n"
        (path / "Makefile").write_text(text)
    if what == "text":
        path.write_text("no tarball")
    with pytest.raises(UserError, match=says):
        kernel.build("guest", path)
