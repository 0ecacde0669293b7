"""The kept rows of all campaigns, in one archive per publication.

    python -m studies.kept unpack [--out build/rows]
    python -m studies.kept pack [--from build/rows] [--only NAME]
    python -m studies.kept --archives studies/rows/underway ...

The rows of one campaign are a folder of two files, which `mpbench rows` writes and
`mpbench report` reads (mpbench/store/kept_rows.py). Campaigns of one publication share
networks, settings and whole runs, so one archive of many campaigns takes little more
than half of what the folders take. `studies/rows/` has

    NAME.tar.xz    CAMPAIGN/rows.jsonl and CAMPAIGN/experiment.yaml, sorted by name
    SHA256SUMS     the hash of each archive, in the format of sha256sum

An archive is compared with its hash before it is opened, and has nothing but regular
files of these names. The same rows give the same archive.

`studies/rows/underway/` has the same for campaigns of a publication that is executed
again, until all of them are there: no page is made of them, and a campaign may be
unfinished. `mpbench run --reuse` goes on with it (studies/notes/rerun.md).
"""

import argparse
import hashlib
import io
import lzma
import re
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError
from mpbench.store import atomic, kept_rows, layout
from studies import publications

ROOT = Path(__file__).parents[1]
ARCHIVES = ROOT / "studies/rows"
UNPACKED = ROOT / "build/rows"
SUMS = "SHA256SUMS"
SUFFIX = ".tar.xz"
STAMP = ".unpacked"
"""In a folder of unpacked rows: the SHA256SUMS that it was unpacked from."""
ROWS, EXPERIMENT = "rows.jsonl", "experiment.yaml"
MEMBER = re.compile(rf"([a-z0-9][a-z0-9.-]{{0,99}})/({ROWS}|{EXPERIMENT})")
SUM = re.compile(r"([0-9a-f]{64})  ([a-z0-9-]{1,40}\.tar\.xz)")
MOST_COMPRESSED = 256 << 20
MOST_PLAIN = 1 << 30
"""Of an archive and of all its members; today's largest has 95 MB."""
MOST_DECODER_MEMORY = 256 << 20
QUICK = 0
"""The preset of xz for unpacked rows, which no one keeps: ten times as fast as 9."""


@dataclass(frozen=True)
class Campaign:
    """The kept rows of one campaign.

    rows : lines of JSON, the head first
    experiment : the experiment file as it was run
    """

    name: str
    rows: bytes
    experiment: bytes


def sums(folder: Path = ARCHIVES) -> Mapping[str, str]:
    """The SHA-256 of each archive by its name. Raises UserError for another line."""
    path = folder / SUMS
    found = {}
    for number, line in enumerate(path.read_text("ascii").splitlines(), start=1):
        match = SUM.fullmatch(line)
        if match is None:
            raise UserError(f"{path}:{number}: not a line of sha256sum")
        found[match[2]] = match[1]
    return found


def read(path: Path, sha256: str) -> Iterator[Campaign]:
    """The campaigns of an archive, by name.

    Raises UserError if its bytes have another hash, or if it has anything but pairs of
    regular files with the names of `MEMBER`.
    """
    packed = path.read_bytes() if path.stat().st_size <= MOST_COMPRESSED else b""
    if hashlib.sha256(packed).hexdigest() != sha256:
        raise UserError(f"{path}: not as {SUMS} has it; check it out again")
    decoder = lzma.LZMADecompressor(memlimit=MOST_DECODER_MEMORY)
    try:
        plain = decoder.decompress(packed, MOST_PLAIN)
        if not decoder.eof or decoder.unused_data:
            raise UserError(f"{path}: cut short, too large, or more follows")
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            members = [(m, _content(archive, m)) for m in archive]
    except (lzma.LZMAError, tarfile.TarError) as error:
        raise UserError(f"{path}: {error}") from error
    names = [member.name for member, _ in members]
    matches = [MEMBER.fullmatch(name) for name in names]
    campaigns = list(dict.fromkeys(m[1] for m in matches if m))
    wanted = [f"{name}/{file}" for name in campaigns for file in (EXPERIMENT, ROWS)]
    if names != wanted or campaigns != sorted(campaigns):
        raise UserError(f"{path}: other members than the two files of each campaign")
    contents = dict(zip(names, (content for _, content in members), strict=True))
    for name in campaigns:
        rows, experiment = (contents[f"{name}/{f}"] for f in (ROWS, EXPERIMENT))
        yield Campaign(name, rows, experiment)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member) if member.isreg() else None
    if file is None:
        raise UserError(f"{member.name!r}: not a regular file")
    return file.read()


def everything(folder: Path = ARCHIVES) -> Iterator[Campaign]:
    """Every campaign of every archive that SHA256SUMS names."""
    for name, sha256 in sums(folder).items():
        yield from read(folder / name, sha256)


def unpack(out: Path = UNPACKED, folder: Path = ARCHIVES) -> None:
    """Write every campaign as a folder of kept rows below `out`.

    A folder that was unpacked from the same archives is left as it is.
    """
    stamp, wanted = out / STAMP, (folder / SUMS).read_bytes()
    if stamp.is_file() and stamp.read_bytes() == wanted:
        return
    stamp.unlink(missing_ok=True)
    for found in everything(folder):
        _unpacked(found, out)
    atomic.write_bytes(stamp, wanted)


def unpack_one(name: str, out: Path, folder: Path = ARCHIVES) -> None:
    """Write the campaigns of one archive as folders of kept rows below `out`.

    Raises UserError if SHA256SUMS does not name the archive.
    """
    file = f"{name}{SUFFIX}"
    if file not in (known := sums(folder)):
        raise UserError(f"{folder / SUMS}: no {file}")
    for found in read(folder / file, known[file]):
        _unpacked(found, out)


def _unpacked(found: Campaign, out: Path) -> None:
    place = out / found.name
    place.mkdir(parents=True, exist_ok=True)
    packed = lzma.compress(found.rows, preset=QUICK)
    atomic.write_bytes(place / kept_rows.FILE, packed)
    atomic.write_bytes(layout.Results(place).experiment, found.experiment)


def pack(groups: Mapping[str, Iterable[Path]], folder: Path = ARCHIVES) -> None:
    """Write an archive of kept rows for each group, and their hashes.

    groups : folders of kept rows by the archive's name, without its suffix

    Raises UserError if a folder holds anything else than kept rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write_sums({_packed(name, groups[name], folder) for name in groups}, folder)


def pack_one(name: str, places: Iterable[Path], folder: Path = ARCHIVES) -> None:
    """Write the archive of one group, and leave the others as they are."""
    others = {pair for pair in sums(folder).items() if pair[0] != f"{name}{SUFFIX}"}
    _write_sums({*others, _packed(name, places, folder)}, folder)


def _packed(name: str, places: Iterable[Path], folder: Path) -> tuple[str, str]:
    """Write an archive; its file's name and its hash."""
    packed = _archive(places)
    atomic.write_bytes(folder / f"{name}{SUFFIX}", packed)
    return f"{name}{SUFFIX}", hashlib.sha256(packed).hexdigest()


def _write_sums(found: set[tuple[str, str]], folder: Path) -> None:
    lines = [f"{digest}  {name}\n" for name, digest in sorted(found)]
    atomic.write_bytes(folder / SUMS, "".join(lines).encode())


def _archive(places: Iterable[Path]) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for place in sorted(places, key=lambda path: path.name):
            kept_rows.read(place)
            rows = lzma.decompress((place / kept_rows.FILE).read_bytes())
            experiment = layout.Results(place).experiment.read_bytes()
            for file, content in ((EXPERIMENT, experiment), (ROWS, rows)):
                member = tarfile.TarInfo(f"{place.name}/{file}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def grouped(folder: Path) -> dict[str, list[Path]]:
    """The folders of kept rows in `folder` by the name of their archive."""
    found: dict[str, list[Path]] = {}
    for place in sorted(folder.iterdir()):
        if kept_rows.there(place):
            words = re.findall(r"[a-z0-9]+", publications.of(place).lower())
            found.setdefault("-".join(words), []).append(place)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--archives", type=Path, default=ARCHIVES)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("unpack").add_argument("--out", type=Path, default=UNPACKED)
    packing = verbs.add_parser("pack")
    packing.add_argument("--from", dest="rows", type=Path, default=UNPACKED)
    packing.add_argument("--only", help="this archive alone, without its suffix")
    options = parser.parse_args()
    try:
        if options.verb == "unpack":
            unpack(options.out, options.archives)
        elif options.only is None:
            pack(grouped(options.rows), options.archives)
        elif places := grouped(options.rows).get(options.only):
            pack_one(options.only, places, options.archives)
        else:
            raise UserError(f"{options.rows}: no rows of {options.only}")
    except (OSError, UserError) as error:
        print(f"kept: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
