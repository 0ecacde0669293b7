"""Make what a release consists of.

    python -m packing [wheel|sources|debian-sources] [--out dist]

The guest kernel and the root image must be in the cache (`mpbench kernel build`,
`mpbench image build`).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mpbench.errors import UserError
from mpbench.store import provenance
from packing import bill, checkout, debian_sources, parts, pins, pip, sources
from packing.parts import ABOUT, BUILT


def main() -> int:
    parser = argparse.ArgumentParser(prog="packing", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=("wheel", "sources", "debian-sources"),
        default="wheel",
    )
    parser.add_argument("--out", type=Path, default=parts.TOP / "dist")
    parser.add_argument("--debs", type=Path, help="has Debian packages of the image")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    try:
        if arguments.what == "sources":
            made = [sources.write(out, arguments.debs)]
        elif arguments.what == "debian-sources":
            made = [debian_sources.write(out, arguments.debs)]
        else:
            made = [wheel(out)]
            made += beside(made[0])
    except UserError as error:
        print(f"packing: {error}", file=sys.stderr)
        return 2
    for path in made:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def beside(made: Path) -> list[Path]:
    """Write the wheel's bill of materials, and the versions that it is tested with."""
    stem = "-".join(made.name.split("-")[:2])
    paper = made.with_name(f"{stem}.cdx.json")
    paper.write_text(json.dumps(bill.bill(made), indent=2) + "\n")
    constraints = made.with_name(pins.FILE.name)
    shutil.copyfile(pins.FILE, constraints)
    return [paper, constraints]


def wheel(out: Path) -> Path:
    """Build the wheel in a folder, of a copy of the checkout. Raises UserError."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mpbench-wheel-") as name:
        scratch = Path(name)
        checkout.copy(parts.TOP, scratch / "source")
        parts.built(scratch / "built")
        environment = {
            **os.environ,
            BUILT: str(scratch / "built"),
            ABOUT: parts.about(provenance.commit()),
            "SOURCE_DATE_EPOCH": _date(),
        }
        pip.wheel(scratch / "source", scratch / "new", environment)
        (made,) = (scratch / "new").glob("*.whl")
        return Path(shutil.move(made, out / made.name))


def _date() -> str:
    """When the commit was made, in seconds since 1970, so that wheels are the same
    bytes."""
    done = subprocess.run(
        ["git", "-C", str(parts.TOP), "log", "-1", "--format=%ct"],
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() or "1767225600"


if __name__ == "__main__":
    sys.exit(main())
