"""Patched kernels, built behind barriers and booted."""

import json
from pathlib import Path

import pytest

from jobs import Job, dump
from jobs.linux import Linux, Patch
from mpbench import kernel
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError
from mpbench.kernel import barriers, cache, variants
from tests.virtual.lab import Lab, contents, make_job
from tests.virtual.records import record

pytestmark = [pytest.mark.guest, pytest.mark.slow]

COMMENT = """\
--- a/net/mptcp/pm.c
+++ b/net/mptcp/pm.c
@@ -1,2 +1,3 @@
 // SPDX-License-Identifier: GPL-2.0
+/* A comment */
 /* Multipath TCP
"""
PANIC = """\
--- a/net/mptcp/pm.c
+++ b/net/mptcp/pm.c
@@ -LINE,1 +LINE,2 @@
 {
+	panic("own patch");
"""


def patched(text: str) -> Linux:
    return Linux(patches=(Patch(name="own.patch", text=text),))


@pytest.fixture
def backend() -> VirtualBackend:
    if "namespaces" not in barriers.offered():
        pytest.skip("nothing confines make here")
    return VirtualBackend()


def job(folder: Path, linux: Linux | None) -> Job:
    document = make_job(folder)
    return record(document | {"linux": dump_of(linux)} if linux else document)


def dump_of(linux: Linux) -> dict[str, object]:
    from jobs import writing

    return dict(writing.plain(linux))


def test_a_comment_changes_no_byte_of_a_run(
    tmp_path: Path, backend: VirtualBackend
) -> None:
    """A comment moves line numbers, so that the kernel is another one."""
    lab = Lab(tmp_path, backend)
    backend.check([job(tmp_path, patched(COMMENT))])
    left = []
    for linux in (None, patched(COMMENT)):
        ended, artefacts = lab.execute(dump(job(tmp_path, linux)))
        assert ended.status == "finished", ended
        left.append(contents(artefacts))
    assert left[0] == left[1]
    own = variants.lookup(kernel.find(), patched(COMMENT))
    assert own is not None
    assert own.info["linux_hash"] != kernel.find().info["linux_hash"]


def test_a_kernel_that_does_not_boot_is_told_with_its_last_words(
    tmp_path: Path, backend: VirtualBackend
) -> None:
    tree = cache.root() / "work/guest/tree/net/mptcp/pm.c"
    lines = tree.read_text().splitlines()
    line = lines.index("void __init mptcp_pm_init(void)") + 2
    panicking = patched(PANIC.replace("LINE", str(line)))
    words = r"kernel \(the lab's Linux with 1 patch\): does not run: .*own patch"
    with pytest.raises(UserError, match=words):
        backend.check([job(tmp_path, panicking)])


def test_a_controller_that_an_option_adds(
    tmp_path: Path, backend: VirtualBackend
) -> None:
    """Linux lets no namespace choose it unless the machine allows it."""
    linux = Linux(options={"CONFIG_TCP_CONG_WESTWOOD": "y"})
    asked = dump(job(tmp_path, linux))
    asked["transport"] = {**asked["transport"], "congestion_control": "westwood"}
    backend.check([record(asked)])
    ended, artefacts = Lab(tmp_path, backend).execute(asked)
    assert ended.status == "finished", ended
    said = json.loads((artefacts / "traffic-0-client.json").read_text())
    assert said["end"]["sender_tcp_congestion"] == "westwood"
