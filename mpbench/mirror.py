"""Places of the user's that keep what mpbench would otherwise fetch from archives.

MPBENCH_MIRROR names folders or addresses, separated by blanks; they are asked first, in
this order. A place has the files that the archive of mpbench's sources has in its
folder `mirror`: `linux-VERSION-um.tar.xz` and `debs/PACKAGE.deb`. A place can also be a
snapshot of Debian's archive, with packages below `pool/`. Callers compare hashes.
"""

import os
import shutil
from pathlib import Path
from urllib.parse import quote

from mpbench import carried
from mpbench.errors import UserError

VARIABLE = "MPBENCH_MIRROR"
TIMEOUT_S = 30
MOST_BYTES = 500_000_000


def places() -> list[str]:
    """The user's places; without any, the folder in an archive of sources."""
    own = carried.ROOT / "mirror"
    return os.environ.get(VARIABLE, "").split() or ([str(own)] if own.is_dir() else [])


def fetch(name: str, target: Path) -> str | None:
    """Copy the first file of that name to `target`. Returns where it was found.

    None if no place has the file. Raises UserError for a place that cannot be read.
    """
    for place in places():
        if _is_address(place):
            address = f"{place.rstrip('/')}/{quote(name)}"
            if _download(address, target):
                return address
        elif not Path(place).is_dir():
            raise UserError(f"{VARIABLE}: {place}: no such folder, and no address")
        elif (Path(place) / name).is_file():
            shutil.copyfile(Path(place) / name, target)
            return str(Path(place) / name)
    return None


def fetch_package(file: str, path: str, target: Path) -> str | None:
    """Copy a package of Debian's to `target`, as `fetch` does.

    file : its name in the folder `debs` of a place
    path : its path in Debian's archive, of which a place may be a snapshot
    """
    return fetch(f"debs/{file}", target) or fetch(path, target)


def _is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _download(address: str, target: Path) -> bool:
    """Whether the address has the file, which is then in `target`."""
    import urllib.error
    import urllib.request

    try:
        with (
            urllib.request.urlopen(address, timeout=TIMEOUT_S) as stream,
            target.open("wb") as file,
        ):
            while block := stream.read(1 << 20):
                file.write(block)
                if file.tell() > MOST_BYTES:
                    raise UserError(f"{address}: more than {MOST_BYTES >> 20} MiB")
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise UserError(f"{address}: {error}") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{address}: {error}") from error
    return True
