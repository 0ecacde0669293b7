"""From sources to an endpoint in the cache.

The bytes of a program depend on the compiler and on the sources, and not on the folders
or the time of the build.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Any

from mpbench import mirror
from mpbench.endpoints import cache, recipes
from mpbench.endpoints.cache import Endpoint
from mpbench.endpoints.recipes import Source
from mpbench.errors import UserError
from mpbench.kernel import cache as kernel_cache
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell, logged

Works = list[dict[str, str]]
"""Works of others in an endpoint: name, version, license, purl, and perhaps sha256."""

PICOTLS = ("picotls-core", "picotls-openssl", "picotls-minicrypto")
PICOQUIC = ("picoquic-core", "picoquic-log")
LEFT_OUT = (
    "-Dpicoquic_BUILD_TESTS=OFF",
    "-DBUILD_DEMO=OFF",
    "-DBUILD_HTTP=OFF",
    "-DBUILD_PQBENCH=OFF",
    "-DBUILD_LOGREADER=OFF",
    "-DPTLS_WITH_FUSION=OFF",
)
"""Parts that need more libraries, or a newer processor."""
EXACT_WAITS = "-DPICOQUIC_USES_SELECT"
"""Waits of microseconds in picoquic's own loop, which spins below a millisecond."""
LINK = ("-s", "-Wl,--build-id=none")
WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
)
LICENCE = re.compile("licen[cs]e|copying|notice", re.I)


def build(name: str, force: bool, progress: Progress | None = None) -> Endpoint:
    """See `mpbench.endpoints.build`."""
    if not force and (ready := cache.lookup(name)) is not None:
        return ready
    recipes.require(name)
    output = progress or Progress()
    with ExitStack() as stack:
        stack.enter_context(exclusive(cache.root(), output.say))
        if not force and (ready := cache.lookup(name)) is not None:
            return ready
        kernel_cache.remove(cache.root().glob(f"{kernel_cache.NEW}*"))
        shell = stack.enter_context(logged(kernel_cache.root(), "endpoint", output.say))
        return _make(name, shell, output)


def _make(name: str, shell: Shell, progress: Progress) -> Endpoint:
    with tempfile.TemporaryDirectory(
        prefix=kernel_cache.NEW, dir=cache.root()
    ) as scratch:
        work, new = Path(scratch, "work"), Path(scratch, "new")
        work.mkdir()
        new.mkdir()
        makers = {"noq": _noq, "picoquic": _picoquic}
        works, compiler = makers[name](shell, work, new, progress)
        program = new / cache.PROGRAM
        program.chmod(0o755)
        info = {
            "format": 1,
            "key": recipes.key(name),
            "sha256": hashlib.sha256(program.read_bytes()).hexdigest(),
            "size_bytes": program.stat().st_size,
            "compiler": compiler,
            "works": works,
        }
        (new / cache.INFO).write_text(json.dumps(info, indent=2) + "\n")
        target = cache.place(name)
        if target.exists():
            shutil.rmtree(target)
        new.rename(target)
    return cache.find(name)


def _picoquic(
    shell: Shell, work: Path, new: Path, progress: Progress
) -> tuple[Works, str]:
    source = recipes.source("picoquic")
    with progress.step("fetch", source.file):
        archive = fetch(shell, source, work)
    top = _unpacked(archive, source, work)
    third = top / "third_party"
    plain = f"-ffile-prefix-map={work}=."
    common = ["-DCMAKE_BUILD_TYPE=Release"]
    with progress.step("build", "picotls"):
        tls = work / "picotls"
        flags = f"-DCMAKE_C_FLAGS={plain}"
        words = [*common, flags, "-DWITH_FUSION=OFF"]
        _cmake(shell, third / "picotls", tls, words, PICOTLS)
    with progress.step("build", "picoquic"):
        quic = work / "picoquic"
        kinds = ("core", "openssl", "minicrypto")
        libraries = [
            f"-DPTLS_{kind.upper()}_LIBRARY={tls}/libpicotls-{kind}.a" for kind in kinds
        ]
        place = f"-DPTLS_INCLUDE_DIR={third}/picotls/include"
        flags = f"-DCMAKE_C_FLAGS={EXACT_WAITS} {plain}"
        words = [*common, flags, *LEFT_OUT, place, *libraries]
        _cmake(shell, third / "picoquic", quic, words, PICOQUIC)
    with progress.step("build", "the endpoint"):
        own = recipes.folder("picoquic")
        seen = (
            third / "picoquic/picoquic",
            third / "picoquic/loglib",
            third / "picotls/include",
        )
        built = sorted([*quic.glob("*.a"), *tls.glob("*.a")])
        words = ["gcc", "-std=gnu11", "-O2", *WARNINGS, plain, *LINK]
        words += [f"-I{folder}" for folder in seen]
        words += sorted(path.name for path in own.glob("*.c"))
        words += ["-o", str(new / cache.PROGRAM), "-Wl,--start-group"]
        words += [*map(str, built), "-Wl,--end-group", "-lcrypto", "-lpthread", "-lm"]
        shell.run(words, cwd=own)
    texts = []
    for one in source.materials:
        text = (top / one.text).read_text(errors="replace")
        texts.append((one.name, text.partition("*/")[0] if one.comment else text))
    _write_licences(texts, new)
    package = f"pkg:pypi/{source.package}@{source.version}"
    works: Works = [
        {
            "name": one.name,
            "version": one.version,
            "license": one.license,
            "purl": f"{package}#third_party/{one.name}",
            "sha256": source.sha256,
        }
        for one in source.materials
    ]
    return works, _first_line("gcc")


def fetch(shell: Shell, source: Source, work: Path) -> Path:
    """The source package in a folder: from the user's mirrors, or by pip.

    Raises UserError for a file that is not the pinned one.
    """
    target = work / source.file
    place = mirror.fetch(source.file, target)
    if place is None:
        pinned = work / "requirements.txt"
        name = f"{source.package}=={source.version}"
        pinned.write_text(f"{name} --hash=sha256:{source.sha256}\n")
        words = ["-m", "pip", "download", "-q", "--disable-pip-version-check"]
        words += ["--no-deps", "--no-binary", source.package, "--require-hashes"]
        words += ["--ignore-requires-python", "-d", str(work), "-r", str(pinned)]
        shell.run([sys.executable, *words])
        place = "the Python package index"
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    if digest != source.sha256:
        raise UserError(f"{place}: {source.file} is not the file that is pinned")
    return target


def _unpacked(archive: Path, source: Source, work: Path) -> Path:
    """The folder of the package, with the parts that are compiled and no others."""
    top = archive.name.removesuffix(".tar.gz")
    wanted = [f"{top}/third_party/{part}/" for part in source.parts]
    with tarfile.open(archive) as packed:
        chosen = [
            member
            for member in packed
            if any(member.name.startswith(each) for each in wanted)
        ]
        for member in chosen:
            if not _is_plain(member):
                raise UserError(f"{archive.name}: {member.name} is no plain file")
        packed.extractall(work, chosen)
    return work / top


def _is_plain(member: tarfile.TarInfo) -> bool:
    """Whether a member is a file or a folder within the folder of the archive."""
    path = PurePosixPath(member.name)
    inside = not path.is_absolute() and ".." not in path.parts
    return inside and (member.isfile() or member.isdir())


def _cmake(
    shell: Shell, source: Path, target: Path, words: list[str], parts: tuple[str, ...]
) -> None:
    shell.run(["cmake", "-S", str(source), "-B", str(target), *words])
    jobs = str(len(os.sched_getaffinity(0)))
    shell.run(["cmake", "--build", str(target), "-j", jobs, "--target", *parts])


def _noq(shell: Shell, work: Path, new: Path, progress: Progress) -> tuple[Works, str]:
    own = work / "noq"
    for path in recipes.files("noq"):
        copy = own / path.relative_to(recipes.folder("noq"))
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    maps = f"--remap-path-prefix={own}=. --remap-path-prefix={home}=cargo"
    environment = {"CARGO_TARGET_DIR": str(work / "target"), "RUSTFLAGS": maps}
    with progress.step("build", "noq and the endpoint"):
        shell.run(["cargo", "build", "--release", "--locked"], own, environment)
    shutil.copyfile(work / "target/release/noq-endpoint", new / cache.PROGRAM)
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    words += ["--filter-platform", "x86_64-unknown-linux-gnu"]
    done = subprocess.run(words, cwd=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"cargo metadata: {done.stderr.strip().splitlines()[-1:]}")
    packages = json.loads(done.stdout)["packages"]
    crates = [package for package in packages if package["source"] is not None]
    crates.sort(key=lambda crate: (crate["name"], crate["version"]))
    _write_licences(list(_licences(crates)), new)
    return [_crate(crate) for crate in crates], _first_line("rustc")


def _crate(crate: dict[str, Any]) -> dict[str, str]:
    name, version = crate["name"], crate["version"]
    return {
        "name": name,
        "version": version,
        "license": crate["license"] or "see licences.txt",
        "purl": f"pkg:cargo/{name}@{version}",
    }


def _licences(crates: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for crate in crates:
        folder = Path(crate["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and LICENCE.search(path.name):
                name = f"{crate['name']} {crate['version']}: {path.name}"
                yield name, path.read_text(errors="replace")


def _write_licences(texts: list[tuple[str, str]], new: Path) -> None:
    """Write each text once, below the names of the works that have it."""
    named: dict[str, list[str]] = {}
    for name, text in texts:
        named.setdefault(text.strip(), []).append(name)
    parts = [f"{', '.join(names)}\n\n{text}\n" for text, names in named.items()]
    (new / cache.LICENCES).write_text(("\n" + "=" * 78 + "\n\n").join(parts))


def _first_line(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    return done.stdout.partition("\n")[0]
