"""packetdrill's tests are found in a checkout, and what they print is read.

The suite itself runs with `make selftests-full PACKETDRILL=CHECKOUT`.
"""

import shutil
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.kernel import packetdrill
from mpbench.kernel.shell import Shell
from tests.virtual import packetdrill as suite
from tests.virtual.selftests import read_results

RUN = """\
#include <unistd.h>
const int MAX_SPIN_USECS = 20;
		clock_t jiffies = times(NULL);
		if (state->num_events > 0 && wait_usecs > MAX_SPIN_USECS) {
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose configure and make only say that they ran."""
    program = tmp_path / "checkout/gtests/net/packetdrill"
    program.mkdir(parents=True)
    (program / "run.c").write_text(RUN)
    (program / "configure").write_text("#!/bin/sh\nexit 0\n")
    (program / "configure").chmod(0o755)
    (program / "Makefile").write_text("packetdrill:\n\tcp run.c packetdrill\n")
    for name in ("dss/a.pkt", "dss/b_v4.pkt", "add_addr/c_v6.pkt"):
        script = tmp_path / "checkout/gtests/net/mptcp" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.touch()
    return tmp_path / "checkout"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is missing")
def test_it_sleeps_in_place_of_polling(checkout: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "log")
    packetdrill.prepare(checkout, tmp_path / "made", shell)
    shell.close()
    text = (tmp_path / "made/packetdrill/packetdrill").read_text()
    assert "MAX_SPIN_USECS = 0;" in text and "\tusleep(1000);\n\t\tclock_t" in text
    assert "\t\tif (wait_usecs > MAX_SPIN_USECS) {\n" in text
    assert (checkout / "gtests/net/packetdrill/run.c").read_text() == RUN


def test_what_is_no_such_checkout_is_refused(checkout: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "log")
    with pytest.raises(UserError, match="name a checkout of multipath-tcp/packetdrill"):
        packetdrill.prepare(tmp_path, tmp_path / "one", shell)
    run = checkout / "gtests/net/packetdrill/run.c"
    run.write_text(RUN.replace("= 20", "= 10"))
    with pytest.raises(UserError, match=r"run\.c: no longer has 'const int MAX_SPIN"):
        packetdrill.prepare(checkout, tmp_path / "two", shell)
    shell.close()


def test_variants_are_those_of_the_script_s_name(checkout: Path) -> None:
    found = packetdrill.tests(checkout / "gtests/net/mptcp")
    assert [test.name for test in found] == [
        "add_addr/c_v6.pkt (ipv6)",
        "dss/a.pkt (ipv4)",
        "dss/a.pkt (ipv4-mapped-v6)",
        "dss/a.pkt (ipv6)",
        "dss/b_v4.pkt (ipv4)",
        "dss/b_v4.pkt (ipv4-mapped-v6)",
    ]


def test_the_script_says_what_selftests_say(checkout: Path) -> None:
    tests = list(packetdrill.tests(checkout / "gtests/net/mptcp"))
    text = suite.commands(tests)
    assert text.count("\nrun ") == len(tests) and text.endswith("echo 1..$number\n")
    said = (
        "ok 1 - packetdrill: dss/a.pkt (ipv4) # \n# a.pkt:7: error\n"
        "not ok 2 - packetdrill: dss/a.pkt (ipv6) # status 1\n1..2\n"
    )
    assert dict(read_results(said)) == {
        "dss/a.pkt (ipv4)": "ok",
        "dss/a.pkt (ipv6)": "fail",
    }
