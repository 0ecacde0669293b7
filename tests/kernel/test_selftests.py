"""Upstream's tests beside the kernel: taken from its Linux, compiled, adapted."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mpbench import kernel
from mpbench.errors import UserError
from mpbench.kernel import recipe, selftests, sources

from .conftest import Lab


def names(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths}


def tarball(lab: Lab) -> Path:
    path = lab.folder / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", path, "-C", lab.folder, "linux"], check=True)
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["tree", "tarball"])
def test_tests_of_a_given_linux_are_added_when_they_are_asked_for(
    lab: Lab, tmp_path: Path, packed: bool
) -> None:
    made = kernel.build("guest", tarball(lab) if packed else lab.tree)
    folder = selftests.prepare(made)
    scripts = {"net/lib.sh", "net/lib/sh/defer.sh", "net/mptcp/mptcp_lib.sh"}
    programs = {f"net/mptcp/{name}" for name in selftests.PROGRAMS}
    uncompiled = {"net/mptcp/mptcp_diag.c"}
    assert names(folder) == {*scripts, *programs, *uncompiled, "programs"}
    changes = {"/proc/kallsyms": "/elsewhere"}
    selftests.install(folder, tmp_path / "copy", changes)
    assert names(tmp_path / "copy") == scripts | programs
    copied = tmp_path / "copy/net/mptcp/mptcp_lib.sh"
    assert copied.read_text() == "cat /elsewhere\n"
    with pytest.raises(UserError, match="no longer have 'absent'"):
        selftests.install(folder, tmp_path / "other", {"absent": ""})


@pytest.mark.parametrize("packed", [False, True], ids=["tree", "tarball"])
def test_an_older_linux_has_fewer_files(lab: Lab, packed: bool) -> None:
    tests = lab.tree / "tools/testing/selftests/net"
    shutil.rmtree(tests / "lib/sh")
    (tests / "lib/Makefile").write_text("")
    (tests / "net_helper.sh").write_text("")
    (tests / "mptcp/mptcp_diag.c").unlink()
    made = kernel.build("guest", tarball(lab) if packed else lab.tree)
    found = names(selftests.prepare(made))
    assert {
        "net/lib.sh",
        "net/net_helper.sh",
    } <= found and "net/mptcp/pm_nl_ctl" in found
    assert "net/mptcp/mptcp_diag" not in found


def test_a_linux_that_is_fetched_brings_its_tests(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tarball(lab)
    monkeypatch.setattr(sources, "_pinned", lambda *rest: (packed, "the archive"))
    made = kernel.build("guest")
    packed.unlink()
    assert (selftests.prepare(made) / "net/mptcp/mptcp_connect").exists()


def test_another_linux_than_the_kernels_is_refused(lab: Lab) -> None:
    packed = tarball(lab)
    made = kernel.build("guest", packed)
    packed.write_bytes(b"another")
    with pytest.raises(UserError, match="not the Linux"):
        selftests.prepare(made)


def test_a_stock_network_has_nothing_of_ours(lab: Lab) -> None:
    (lab.kernel / "patches/0002-net.patch").write_text(
        "--- a/net/core/dev.c\n+++ b/net/core/dev.c\n"
    )
    (lab.kernel / "overlay/arch").mkdir()
    (lab.kernel / "overlay/arch/ours.c").write_text("ours\n")
    stock, ours = recipe.read("selftests-stock"), recipe.read("selftests")
    assert set(ours.overlay) - set(stock.overlay) == {"net/ours.c"}
    assert [patch.name for patch in stock.patches] == ["0001-two.patch"]
    assert stock.fragment == ours.fragment and stock.digest != ours.digest
