"""The lock file: the packages of the image, each with its version and its SHA-256.

A line has six words: package, version, suite, size in bytes, SHA-256, and the path of
the package's file below the archive's address. Lines that begin with # are comments.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError
from mpbench.image.choice import SUITES

FILE = Path(__file__).with_name("packages.lock")
HEADER = """\
# The Debian packages of the guests' root image: package, version, suite, bytes,
# SHA-256, path in the archive. `mpbench image lock` writes this file from what the
# mirror has.
"""
LONGEST_BYTES = 1 << 20
MOST_BYTES = 100_000_000
"""The largest package that is taken."""
FORMS = (
    ("package", re.compile(r"[a-z0-9][a-z0-9+.-]+")),
    ("version", re.compile(r"[0-9][A-Za-z0-9.+:~-]*")),
    ("suite", re.compile("|".join(SUITES))),
    ("size", re.compile(r"[1-9][0-9]{0,8}")),
    ("SHA-256", re.compile(r"[0-9a-f]{64}")),
    ("path", re.compile(r"pool/([A-Za-z0-9+~_%-][A-Za-z0-9.+~_%-]*/)+[^/\s]+\.deb")),
)


@dataclass(frozen=True)
class Package:
    """A pinned package.

    size_bytes, sha256 : of its file
    path : of its file, below the address of the suite's archive
    """

    name: str
    version: str
    suite: str
    size_bytes: int
    sha256: str
    path: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.path.rpartition("/")[2]

    @property
    def line(self) -> str:
        words = (self.name, self.version, self.suite, self.size_bytes, self.sha256)
        return " ".join(map(str, (*words, self.path)))


def read(file: Path = FILE) -> tuple[Package, ...]:
    """All packages of a lock file. Raises UserError for a line that is not one."""
    try:
        with file.open("rb") as handle:
            text = handle.read(LONGEST_BYTES + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: not a lock file of packages: {error}") from error
    if len(text) > LONGEST_BYTES:
        raise UserError(f"{file}: longer than {LONGEST_BYTES >> 20} MiB")
    found: dict[str, Package] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        package = _package(line.split(" "), f"{file}:{number}")
        if package.name in found:
            raise UserError(f"{file}:{number}: {package.name} for the second time")
        found[package.name] = package
    return tuple(found.values())


def write(packages: tuple[Package, ...], file: Path = FILE) -> None:
    lines = sorted(package.line for package in packages)
    file.write_text(HEADER + "".join(f"{line}\n" for line in lines))


def _package(words: list[str], where: str) -> Package:
    if len(words) != len(FORMS):
        raise UserError(
            f"{where}: {len(words)} words; a line is package, version, suite, bytes, "
            "SHA-256 and path"
        )
    for word, (what, form) in zip(words, FORMS, strict=True):
        if not form.fullmatch(word):
            raise UserError(f"{where}: {word!r} is no {what}")
    name, version, suite, size, digest, path = words
    if int(size) > MOST_BYTES:
        raise UserError(f"{where}: a package of {size} bytes; at most {MOST_BYTES}")
    return Package(name, version, suite, int(size), digest, path)
