"""Does the Containerfile give an image that works?

    python -m validation.container [--out DIR]

The base image is Debian 13's smallest root, which mmdebstrap makes and podman imports
under the name that the Containerfile has, so no registry of images is asked. podman
builds packing/container/Containerfile of the wheel in dist/. In a container of it an
ordinary user runs the quickstart and draws its figures, and `mpbench verify` on this
machine must find the same bytes.

buildah starts the container with the isolation `chroot`, which needs fewer rights than
podman's, and says nothing of its control groups. With the seccomp profile that
containers have by default the command must refuse the run in one line.

Needs root, mmdebstrap, podman and buildah. The exit status is 1 if a step fails.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASE = "docker.io/library/debian:trixie-slim"
IMAGE = "localhost/mpbench-validation"
CONTAINER = "mpbench-validation"
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
PLACE = "/etc/authorities.pem"
"""pip in the image trusts what this machine trusts, a proxy's authority too."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="where results go")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mpbench-container-") as scratch:
        base = (arguments.out or Path(scratch)).resolve()
        base.mkdir(exist_ok=True)
        try:
            build(base)
            use(base)
        except subprocess.CalledProcessError as error:
            print(
                f"status {error.returncode}: {shlex.join(error.cmd)}", file=sys.stderr
            )
            return 1
    return 0


def build(base: Path) -> None:
    """Make the base image, and the image of the Containerfile."""
    archive = base / "debian.tar"
    call("mmdebstrap", "-q", "--variant=minbase", "trixie", str(archive))
    call("podman", "import", "-q", str(archive), BASE)
    file = ROOT / "packing/container/Containerfile"
    settings = base / "pip.conf"
    settings.write_text(f"[global]\ncert = {PLACE}\n")
    words = ["--pull=never", "--isolation=chroot", "--network=host"]
    words += ["-v", f"{AUTHORITIES}:{PLACE}:ro", "-v", f"{settings}:/etc/pip.conf:ro"]
    call("podman", "build", "-q", *words, "-f", str(file), "-t", IMAGE, str(ROOT))


def use(base: Path) -> None:
    """Run the quickstart in a container, and verify its results here."""
    folder = base / "data"
    folder.mkdir()
    folder.chmod(0o777)
    options = ("--isolation=chroot", "--user=user", "--workingdir=/data")
    mount = ("-v", f"{folder}:/data")
    mpbench = ("buildah", "run", *options, *mount, CONTAINER, "--", "mpbench")
    start = ("buildah", "from", "-q", "--pull-never", "--name", CONTAINER)
    try:
        call(*start, IMAGE)
        refused = [*mpbench, "run", "quickstart"]
        done = subprocess.run(refused, capture_output=True, text=True)
        told = [line for line in done.stderr.splitlines() if line.startswith("mpbench")]
        print("\n".join(told))
        if len(told) != 1 or "seccomp=unconfined" not in told[0]:
            raise subprocess.CalledProcessError(done.returncode, refused)
        call("buildah", "rm", CONTAINER)
        call(*start, "--security-opt", "seccomp=unconfined", IMAGE)
        for words in (["run", "quickstart"], ["report", "results/quickstart"]):
            call(*mpbench, *words)
    finally:
        call("buildah", "rm", CONTAINER)
    verify = ("-m", "mpbench.cli", "verify", str(folder / "results/quickstart"))
    call(sys.executable, *verify, "--sample", "3")


def call(*words: str) -> None:
    print(f"+ {shlex.join(words)}", flush=True)
    subprocess.run(words, check=True)


if __name__ == "__main__":
    sys.exit(main())
