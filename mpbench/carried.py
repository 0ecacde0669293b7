"""Places of mpbench's parts that are no modules of its own.

In a checkout they lie in the folders of the checkout. A wheel has copies of them in
`mpbench/_carried`, and what was built of them (packing/ makes it):

    about.json           version and commit of the checkout
    files/               kernel/, experiments/, and the code of guests
    built/kernel/        linux, config, build.log, info.json, kit.tar.gz
    built/image/         root.erofs.xz, manifest.txt, sbom.json, info.json
    built/launcher/      KEY, the program that confines guests; KEY.sha256
    built/code/          NAME.tar, the code of guests with byte code; NAME.sha256

A wheel that pip makes of a checkout by itself has no `built`. Such an mpbench builds
its kernel and its image, as a checkout does. Whoever uses a built part compares it with
its hash first; `mpbench.image.cache` unpacks the image into the user's cache.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).with_name("_carried")
INSTALLED = FOLDER.is_dir()
ROOT = FOLDER / "files" if INSTALLED else Path(__file__).resolve().parents[1]
"""The top folder of the checkout, or what a wheel has in its place."""
EXPERIMENTS = ROOT / "experiments"


def built(name: str) -> Path:
    """The folder of a built part; it exists only where a wheel brought the part."""
    return FOLDER / "built" / name


def commit() -> str | None:
    """The commit that an installed mpbench was made of; None if it is not known."""
    try:
        about = json.loads((FOLDER / "about.json").read_text())
    except (OSError, ValueError):
        return None
    noted = about.get("commit") if isinstance(about, dict) else None
    return noted if isinstance(noted, str) else None


def experiment(path: Path) -> Path:
    """The file that a user means: a file of the user's, or an experiment of mpbench's.

    `quickstart` and `experiments/quickstart.yaml` name the same experiment, unless the
    user has a file of that name.
    """
    if path.exists() or path.is_absolute() or ".." in path.parts:
        return path
    name = path.as_posix().removeprefix("experiments/").removesuffix(".yaml")
    ours = EXPERIMENTS / f"{name}.yaml"
    return ours if ours.is_file() else path
