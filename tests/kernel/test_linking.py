"""Messages about controllers and schedulers of users that do not compile."""

import io
import tarfile
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.kernel import kit, linking
from mpbench.kernel.cache import Kernel
from mpbench.kernel.linking import reason

LARGE = """\
In file included from <command-line>:
../net/mptcp/own/qaware.c: In function 'qaware_init':
./../include/linux/compiler_types.h:702:45: error: call to '__compiletime_assert_863' \
declared with attribute error: BUILD_BUG_ON failed: sizeof(struct qaware) > \
sizeof((msk)->sched_state)
  702 |         _compiletime_assert(condition, msg, __compiletime_assert_, __COUNTER__)
      |                                             ^
./../include/linux/compiler_types.h:702:9: note: in expansion of macro \
'_compiletime_assert'
../net/mptcp/sched_choice.h:17:9: note: in expansion of macro 'BUILD_BUG_ON'
   17 |         BUILD_BUG_ON(sizeof(_type) > sizeof((_holder)->sched_state));  \\
      |         ^~~~~~~~~~~~
../net/mptcp/own/qaware.c:25:9: note: in expansion of macro 'mptcp_sched_state'
   25 |         mptcp_sched_state(msk, struct qaware)->turns = 1;
      |         ^~~~~~~~~~~~~~~~~
compilation terminated due to -Wfatal-errors.
"""
"""GCC 12 about a state of 72 bytes."""
STATE = (
    "qaware.c:25:9: BUILD_BUG_ON failed: sizeof(struct qaware) >"
    " sizeof((msk)->sched_state); a scheduler has 64 bytes of state there, so keep less"
)
OTHER = LARGE.replace("sizeof((msk)->sched_state)", "4")
MISSING = """\
../net/mptcp/own/near.c: In function 'near_get_send':
../net/mptcp/own/near.c:35:20: error: implicit declaration of function 'tcp_min_rt'
../net/mptcp/own/near.c:35:20: note: in expansion of macro 'min'
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (LARGE, STATE),
        (OTHER, "qaware.c:25:9: BUILD_BUG_ON failed: sizeof(struct qaware) > 4"),
        (MISSING, "near.c:35:20: implicit declaration of function 'tcp_min_rt'"),
        ("", "gcc says nothing"),
    ],
)
def test_the_place_is_the_user_s(said: str, told: str) -> None:
    """Also where a macro of Linux fails, whose own lines say nothing to a user."""
    assert reason(said) == told


def packed(folder: Path, **members: bytes) -> Path:
    """An archive of a kernel for controllers of users, with these members."""
    file = folder / kit.NAME
    with tarfile.open(file, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file


@pytest.mark.parametrize("damage", ["empty", "cut", "text", "no orders", "no words"])
def test_a_damaged_archive_is_one_line(tmp_path: Path, damage: str) -> None:
    orders = {"no orders": b"{}", "no words": b'{"compile": [5], "link": []}'}
    members = {kit.ORDERS: orders.get(damage, b"{}"), kit.OBJECTS: b"x" * 5000}
    file = packed(tmp_path, **members)
    content = {"empty": b"", "cut": file.read_bytes()[:60], "text": b"text"}
    file.write_bytes(content.get(damage, file.read_bytes()))
    kernel = Kernel(tmp_path / "linux", "k", tmp_path, {"linux_hash": "x"})
    with pytest.raises(UserError, match="damaged") as caught:
        linking._link(kernel, {"own": ""}, tmp_path)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)
