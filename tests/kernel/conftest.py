"""A kernel folder, a Linux and a `make` that take the place of the real ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mpbench.kernel import recipe

MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 9\nEXTRAVERSION =\n"
PATCH = """\
Say two.

--- a/lib/one.c
+++ b/lib/one.c
@@ -1 +1 @@
-one
+two
"""
MAKE = """\
#!/bin/sh
# Takes the place of make. FAKE says how it fails.
echo "make $*" >> "$FAKE_CALLS"
for word; do case $word in KCONFIG_ALLCONFIG=*) fragment=${word#*=};; esac; done
case "$*" in
*allnoconfig*)
    cp "$fragment" objects/.config
    if [ "$FAKE" = lost ]; then sed -i /CONFIG_MPTCP=/d objects/.config; fi;;
*headers*) ;;
*)
    echo "  CC      lib/one.o"
    case $FAKE in
    fail) echo "lib/one.c:1:1: error: expected identifier"; exit 2;;
    hang) echo hanging > "$FAKE_CALLS.hangs"; sleep 60;;
    slow) echo waiting > "$FAKE_CALLS.hangs"; sleep 2;;
    esac
    cp /bin/true objects/linux;;
esac
"""
GCC = """\
#!/bin/sh
# Takes the place of gcc: writes the file after -o.
[ "$1" = --version ] && echo "gcc 0 (fake)" && exit
while [ "$1" != -o ]; do shift; done
echo program > "$2"
"""


class Lab:
    """A folder with everything that a build reads and writes, and its command."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kernel = folder / "kernel"
        self.tree = folder / "linux"
        self.home = folder / "cache" / "mpbench"
        self.calls = folder / "calls"
        self._write(self.kernel / "guest.config", "CONFIG_NET=y\nCONFIG_MPTCP=y\n")
        self._write(self.kernel / "debug.config", "CONFIG_DEBUG=y\n")
        self._write(self.kernel / "selftests.config", "CONFIG_IPV6=y\n")
        self._write(self.kernel / "overlay/net/ours.c", "ours\n")
        self._write(self.kernel / "patches/0001-two.patch", PATCH)
        for program in recipe.PROGRAMS:
            name = program.source if "." in program.source else f"{program.source}/a.c"
            self._write(self.kernel / "guest" / name, "int main(void) { return 0; }\n")
        self._write(self.kernel / "launcher/launcher.c", "int main(void) {}\n")
        self._write(self.tree / "Makefile", MAKEFILE)
        self._write(self.tree / "lib/one.c", "one\n")
        tests = self.tree / "tools/testing/selftests/net"
        self._write(tests / "lib.sh", ". lib/sh/defer.sh\n")
        self._write(tests / "lib/sh/defer.sh", "true\n")
        self._write(tests / "mptcp/mptcp_lib.sh", "cat /proc/kallsyms\n")
        self._write(tests / "mptcp/mptcp_diag.c", "")
        self._write(tests / "other/big.sh", "true\n")
        self._write(self.tree / "drivers/gpu/big.c", "big\n")
        self._write(self.tree / "drivers/gpu/Kconfig", "config BIG\n")
        for name, text in (("make", MAKE), ("gcc", GCC)):
            self._write(folder / "bin" / name, text)
            (folder / "bin" / name).chmod(0o755)
        self.environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(folder / "cache"),
            "FAKE": "",
            "FAKE_CALLS": str(self.calls),
        }

    def start(self, *words: str, fake: str = "") -> "subprocess.Popen[str]":
        """`mpbench kernel build` of the fake Linux, in a process of its own."""
        code = (
            # A shell that starts the tests in the background has SIGINT ignored.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "import sys; from pathlib import Path; from mpbench.kernel import recipe; "
            "from mpbench import cli; recipe.FOLDER = Path(sys.argv.pop(1)); cli.main()"
        )
        argv = ["kernel", "build", "--source", str(self.tree)]
        return subprocess.Popen(
            [sys.executable, "-c", code, str(self.kernel), *argv, *words],
            env={**os.environ, **self.environment, "FAKE": fake},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def makes(self) -> int:
        """The number of times that make was called to compile."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return sum(line.endswith(" linux") for line in lines)

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    lab = Lab(tmp_path)
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(recipe, "FOLDER", lab.kernel)
    return lab
