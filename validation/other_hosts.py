"""Do hosts of other Debian releases leave the same bytes?

    python -m validation.other_hosts [--out DIR] [SUITE...]

For each release a root is unpacked from the mirror: its C library, its shell, its
basic programs, and nothing else. In this root, as an ordinary user, the launcher starts
the guest kernel with the root image. The runs are ten seconds of MPTCP over two lossy
paths, through routers and on the fabric. Every artefact must be the same, byte for
byte, as that of the same run on this host. All roots have this host's kernel and CPU,
so this says nothing about others.

The exit status is 1 if a root leaves other bytes.
"""

import argparse
import hashlib
import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jobs import dump
from jobs import load as load_job
from mpbench import image, kernel
from mpbench.backends import boot, guest_snapshot, roots
from mpbench.backends.base import Bounds
from mpbench.experiment_files import loads
from mpbench.image import deb, tree
from mpbench.kernel import debian, launcher
from mpbench.kernel.shell import Shell
from mpbench.plan import make_plan

SUITES = ("bullseye", "bookworm", "trixie")
PACKAGES = ("base-files", "coreutils", "dash", "libc-bin")
EXPERIMENT = """\
name: other-hosts
topology: two_path
fabric: {fabric}
parameters: {{path1.loss: 1 %, path2.loss: 0.5 %, path1.jitter: 1 ms}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: lia}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 10 s}}
"""
NETWORKS = {"routers": "false", "fabric": "true"}
"""Settings of `fabric`, by the name of the run."""
BOUNDS = Bounds(virtual_s=60.0, wall_s=300.0, silence_s=120.0)
PLACE = Path("/m")
ENTER = """\
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
exec chroot "$1" /bin/sh /m/start.sh
"""
"""Run as root of a user namespace, which the host takes for the user."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=SUITES)
    parser.add_argument("--out", type=Path, help="where to put the roots")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mpbench-hosts-") as scratch:
        base = arguments.out or Path(scratch)
        base.mkdir(exist_ok=True)
        base.chmod(0o755)
        jobs = {name: job(fabric) for name, fabric in NETWORKS.items()}
        here = {name: on_this_host(jobs[name], base / f"here-{name}") for name in jobs}
        for name, found in here.items():
            print(f"{'this host':<12} {name:<8} {summary(found)}", flush=True)
        status = 0
        for suite in arguments.suites:
            made = base / suite
            unpack(suite, made, base)
            for name in jobs:
                found = in_root(jobs[name], made, name)
                same = found == here[name]
                status |= not same
                other = differing(here[name], found)
                verdict = "same bytes" if same else f"OTHER: {other}"
                print(f"{suite:<12} {name:<8} {summary(found)} {verdict}", flush=True)
    return status


def job(fabric: str) -> dict[str, Any]:
    """The job of a run. fabric : what the key says"""
    (run,) = make_plan(loads(EXPERIMENT.format(fabric=fabric)), {}).runs
    return dump(run.job)


def on_this_host(job: dict[str, Any], folder: Path) -> dict[str, str]:
    """The hash of each artefact of the run, executed as `mpbench run` does it."""
    import threading

    from mpbench.backends.virtual import VirtualBackend

    (folder / "artefacts").mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(job))
    backend = VirtualBackend(root=roots.IMAGE)
    done = backend.execute(
        load_job(job), folder, None, BOUNDS, lambda _: None, threading.Event()
    )
    if done.status != "finished":
        raise SystemExit(f"the run on this host: {done}")
    return hashes(folder / "artefacts")


def unpack(suite: str, root: Path, base: Path) -> None:
    """Make the root of a release, with the guest's parts in /m."""
    unpack_packages(suite, PACKAGES, root, base)
    runs = (f"m/{name}/artefacts" for name in NETWORKS)
    for name in ("proc", "dev", "tmp", "m/image", *runs):
        (root / name).mkdir(parents=True, exist_ok=True)
    built, made = kernel.find().path, image.find()
    shutil.copy(built, root / "m/linux")
    shutil.copy(launcher.find(), root / "m/launcher")
    shutil.copy(made.path, root / "m/image/root.erofs")
    shutil.copytree(guest_snapshot.snapshot(built, made), root / "m/code")


def unpack_packages(
    suite: str, names: Sequence[str], root: Path, base: Path, prune: bool = True
) -> None:
    """Make a root of packages of a release and of all that they depend on.

    base : for what apt needs meanwhile, and for the log
    prune : leave out manuals, and some of Python's library
    """
    apt = base / f"apt-{root.name}"
    (apt / "debs").mkdir(parents=True)
    shell = Shell(base / f"{root.name}.log")
    options = debian.options(apt, {debian.mirror(shell): [suite]})
    options += ["-o", "APT::Install-Recommends=0", "-o", f"Dir::Cache={apt / 'cache'}"]
    shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
    words = ["-y", "--download-only", "install", *names]
    shell.run(["apt-get", *options, "-q", *words])
    root.mkdir()
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in sorted((apt / "cache/archives").glob("*.deb")):
        with deb.files(package) as archive:
            tree.unpack(archive, root, prune=prune)


def in_root(job: Mapping[str, Any], root: Path, name: str) -> dict[str, str]:
    """The hash of each artefact of the run in that root, as an ordinary user."""
    place, run = PLACE, root / "m" / name
    lines = ("image", f"{place}/image", f"{place}/code")
    seen = roots.Root("image", lines, roots.CODE, (place / "image", place / "code"))
    code = boot.bundled(f"{roots.CODE}/{guest_snapshot.BYTE_CODE}")
    boot.write(boot.Orders(code, BOUNDS.virtual_s), run, seen)
    (run / "job.json").write_text(json.dumps(job))
    inside = {
        str(launcher.find()): f"{place}/launcher",
        str(kernel.find().path.resolve()): f"{place}/linux",
    }
    argv = [
        inside.get(word, word)
        for word in boot.LAB.command(kernel.find().path, None, seen)
    ]
    # Linux makes no user namespaces in a changed root, so Landlock alone confines.
    left = ("parent=", "barrier=namespaces")
    words = shlex.join(word for word in argv if not word.startswith(left))
    program, _, rest = words.partition(" ")
    variables = boot.environment(int(job["seed"]))
    assigned = " ".join(f"{name}={shlex.quote(v)}" for name, v in variables.items())
    (root / "m/start.sh").write_text(
        f"cat /etc/debian_version\ncd {place}/{name} || exit\n"
        f"env -i {assigned} {program} parent=$$ {rest} "
        "> artefacts/console.log 2>&1 < /dev/null\n"
    )
    give_away(root)
    done = subprocess.run(
        ["unshare", "-Urmpf", "sh", "-c", ENTER, "sh", str(root)],
        capture_output=True,
        text=True,
        timeout=BOUNDS.wall_s,
        **ordinary_user(),
    )
    if done.returncode:
        said = (run / "artefacts" / "console.log").read_text(errors="replace")
        raise SystemExit(f"{root.name}: {done.stdout}{done.stderr}{said}".strip())
    return hashes(run / "artefacts")


def ordinary_user() -> dict[str, Any]:
    """Of the new process, if this one is root's."""
    if os.geteuid():
        return {}
    return {"user": "nobody", "group": "nogroup", "extra_groups": []}


def give_away(root: Path) -> None:
    """Make the root the ordinary user's; links are not followed."""
    if os.geteuid():
        return
    about = pwd.getpwnam("nobody")
    for where, folders, names in os.walk(root):
        for name in (".", *folders, *names):
            os.chown(
                Path(where, name), about.pw_uid, about.pw_gid, follow_symlinks=False
            )


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def summary(found: Mapping[str, str]) -> str:
    total = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return f"{len(found)} artefacts, SHA-256 of all {total[:16]}"


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    return ", ".join(sorted(k for k in {*one, *other} if one.get(k) != other.get(k)))


if __name__ == "__main__":
    sys.exit(main())
