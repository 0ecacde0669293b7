"""Guests with the root image: its tools work, and nothing of the host can be seen."""

import json
import subprocess
from pathlib import Path

import pytest

from mpbench import image, kernel
from mpbench.backends import boot, confinement, guest_code, guest_snapshot, roots
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError

from .lab import Lab, contents, make_job, script

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def ready() -> image.Image:
    try:
        return image.find()
    except UserError as error:
        pytest.skip(str(error))


def told(root: Path, text: str) -> str:
    """Output of Python text in a guest with the image."""
    machine, argv = boot.Machine(memory_mib=256), script(f"exec({text!r})")
    backend = VirtualBackend(machine, argv, root=roots.IMAGE)
    ended, artefacts = Lab(root, backend).execute({"seed": 1})
    console = (artefacts / "console.log").read_text()
    assert ended.status == "finished", console
    return console


TOOLS = """
import subprocess
for argv, said in (
    (["iperf3", "--version"], "iperf 3"),
    (["mptcpize", "--help"], "mptcpize"),
    (["curl", "--version"], "libcurl"),
    (["nginx", "-v"], "nginx version"),
    (["ab", "-V"], "ApacheBench"),
    (["ip", "-V"], "iproute2"),
    (["tc", "-V"], "iproute2"),
    (["ss", "-V"], "iproute2"),
    (["tcpdump", "--version"], "libpcap version"),
    (["python3", "-c", "from mininet.net import Mininet; print('Mininet')"], "Mininet"),
    (["which", "mnexec"], "/usr/bin/mnexec"),
    (["awk", "BEGIN { print 6 * 7 }"], "42"),
    (["ps", "-V"], "procps"),
    (["ping", "-V"], "ping"),
    (["bash", "-c", "getent passwd nobody; ls -l /tmp"], "nobody:"),
):
    done = subprocess.run(argv, capture_output=True, text=True)
    output = done.stdout + done.stderr
    print("ok" if said in output else "BAD", argv, "" if said in output else output)
"""


def test_every_tool_starts(tmp_path: Path) -> None:
    console = told(tmp_path, TOOLS)
    assert "BAD" not in console and console.count("ok ") == 15, console


def test_what_the_guest_sees(tmp_path: Path, ready: image.Image) -> None:
    precious = tmp_path / "precious"
    precious.write_text("secret")
    text = f"""
import os
from pathlib import Path
mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
print("hostfs", sorted(m[1] for m in mounts if m[2] == "hostfs"))
print("root", sorted(os.listdir("/")))
print("precious", os.path.exists({str(precious)!r}))
print("release", Path("/etc/debian_version").read_text().strip())
owners = {{os.lstat("/usr/bin/" + name).st_uid for name in os.listdir("/usr/bin")}}
print("owners", owners)
Path("/usr/bin/python3.11").unlink()
Path("/usr/bin/new").write_text("made here")
print("made", Path("/usr/bin/new").read_text())
"""
    before = ready.path.stat()
    console = told(tmp_path / "runs", text)
    assert "hostfs ['/run/code', '/run/mpbench']" in console
    assert "precious False" in console and "made made here" in console
    assert "release 12." in console and "owners {0}" in console
    (line,) = [line for line in console.splitlines() if line.startswith("root")]
    assert "home" in line and "work" not in line
    after = ready.path.stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)


def test_a_run_has_the_same_bytes_from_another_place(
    tmp_path: Path, ready: image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of image and code is another, with a longer name."""
    built = kernel.find()
    job = make_job(tmp_path, parameters={"path1.loss": "1 %", "path1.jitter": "1 ms"})
    ended, first = Lab(tmp_path / "a", VirtualBackend(root=roots.IMAGE)).execute(job)
    assert ended.status == "finished", ended
    code = guest_snapshot.snapshot(built.path, ready)
    place = tmp_path / "cache of another user" / "mpbench" / "images" / ready.key
    place.mkdir(parents=True)
    (place / "root.erofs").symlink_to(ready.path)
    for name in ("info.json", "manifest.txt"):
        (place / name).write_bytes(ready.path.with_name(name).read_bytes())
    (place / "root.erofs").unlink()
    (place / "root.erofs").write_bytes(ready.path.read_bytes())
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.parents[2]))
    backend = VirtualBackend(root=roots.IMAGE)
    backend._kernel = built
    assert image.find().path.is_relative_to(tmp_path)
    ended, second = Lab(tmp_path / "b", backend).execute(job)
    assert ended.status == "finished", ended
    assert contents(first) == contents(second)
    own = guest_snapshot.snapshot(built.path, image.find())
    assert own.is_relative_to(tmp_path) and own.name == code.name
    byte_code = guest_snapshot.BYTE_CODE
    assert (own / byte_code).read_bytes() == (code / byte_code).read_bytes()


def test_code_that_was_changed_is_made_again(
    tmp_path: Path, ready: image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = kernel.find().path
    monkeypatch.setattr(guest_code, "folder", lambda: tmp_path / "guest")
    place = guest_snapshot.snapshot(built, ready)
    file = place / "mpbench/guest/main.py"
    good = file.read_bytes()
    file.write_text("print('changed')")
    assert guest_snapshot.snapshot(built, ready) == place
    assert file.read_bytes() == good
    names = {path.name for path in place.parent.iterdir()}
    assert names == {place.name, f"{place.name}.sha256", "lock"}


HOSTILE = r"""
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct dirent *entry;
	int i;

	for (i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		int fd = open(argv[i], O_RDONLY), writes = open(argv[i], O_RDWR);

		printf("%s %s", argv[i], folder || fd >= 0 ? "READ" : "closed");
		printf(writes >= 0 ? " WRITTEN\n" : "\n");
		while (folder && (entry = readdir(folder)))
			printf("  %s\n", entry->d_name);
	}
	return 0;
}
"""


@pytest.mark.parametrize("barrier", confinement.BARRIERS)
def test_a_hostile_process_finds_the_image_alone(
    tmp_path: Path, ready: image.Image, barrier: str
) -> None:
    """A program in the place of the guest's kernel, behind one barrier at a time."""
    if barrier not in confinement.offered():
        pytest.skip(f"this host does not offer {barrier}")
    source, program, run = (tmp_path / name for name in ("a.c", "hostile", "run"))
    source.write_text(HOSTILE)
    subprocess.run(["gcc", "-static", "-o", str(program), str(source)], check=True)
    run.mkdir()
    precious = tmp_path / "precious"
    precious.write_text("secret")
    code = guest_snapshot.snapshot(kernel.find().path, ready)
    root = roots.from_image(ready, code)
    places = [
        ready.path,
        *("/etc/passwd", "/usr/bin/env", "/usr", "/etc", "/home", "/proc/1/root"),
        *(precious, REPOSITORY / "README.md", ready.path.parents[2]),
    ]
    argv = confinement.command(
        [str(program), *map(str, places)], 1 << 20, None, root.reads, [barrier]
    )
    done = subprocess.run(argv, cwd=run, capture_output=True, text=True, timeout=60)
    said = done.stdout.splitlines()
    assert done.returncode == 0, done
    assert said[0] == f"{ready.path} READ"
    for place, line in zip(places[1:], said[1:], strict=False):
        if barrier == "landlock":
            assert line == f"{place} closed", done.stdout
    assert "WRITTEN" not in done.stdout and "precious READ" not in done.stdout
    for name in ("passwd", "env", "README.md"):
        assert f"{name} READ" not in done.stdout, done.stdout


def test_an_unknown_root_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(roots.VARIABLE, "gost")
    with pytest.raises(UserError, match="MPBENCH_ROOT=gost: unknown; known are host"):
        roots.kind()


def test_the_identity_names_the_image(ready: image.Image) -> None:
    same = VirtualBackend(root=roots.IMAGE).identity()
    assert same["image"] == ready.sha256 and "tools" not in same
    other = VirtualBackend(root=roots.HOST).identity()
    assert "iperf3=" in other["tools"] and "image" not in other
    about = VirtualBackend(root=roots.IMAGE).provenance()["image"]
    assert about["manifest"]["iperf3"] and json.dumps(about)


@pytest.mark.parametrize(
    "lines", [["image"], ["image", "/x"], ["host", "/"], ["x"], []]
)
def test_a_root_that_is_none_ends_the_guest(tmp_path: Path, lines: list[str]) -> None:
    root = roots.host()
    boot.write(boot.Orders(("/bin/true",), 5.0), tmp_path, root)
    (tmp_path / "boot" / "root").write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        boot.LAB.command(kernel.find().path, None, root),
        cwd=tmp_path,
        env=boot.environment(1),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert b"mpbench: cannot boot: boot/root: Invalid argument\r\n" in done.stdout
