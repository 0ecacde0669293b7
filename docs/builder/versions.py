"""The documentation of several versions side by side, in the layout of mike.

SITE/
  VERSION/        the documentation of one version
  versions.json   the versions that are there, the newest first
  index.html      leads to the newest
"""

import json
import re
from pathlib import Path

VERSION = re.compile(r"([0-9]+(?:\.[0-9]+)*)(\.dev[0-9]+|(?:a|b|rc)[0-9]+)?")
REDIRECT = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>mpbench</title>
<meta http-equiv="refresh" content="0; url={0}/index.html">
<p><a href="{0}/index.html">mpbench {0}</a></p>
</html>
"""


def there(site: Path) -> list[str]:
    """The versions in the folder `site`, the newest first.

    A release counts as newer than what led to it, and a candidate as newer than a
    version under development.
    """
    found = [
        (tuple(map(int, match[1].split("."))), not match[2], match[2] or "", path.name)
        for path in site.iterdir()
        if (match := VERSION.fullmatch(path.name)) and (path / "index.html").is_file()
    ]
    return [name for *_, name in sorted(found, reverse=True)]


def write(site: Path) -> None:
    """List the versions in `site`, of which there is at least one, and lead to the
    newest."""
    newest, *older = there(site)
    versions = [{"version": newest, "title": newest, "aliases": ["latest"]}]
    versions += [{"version": v, "title": v, "aliases": []} for v in older]
    text = json.dumps(versions, indent=1) + "\n"
    (site / "versions.json").write_text(text, encoding="utf-8")
    (site / "index.html").write_text(REDIRECT.format(newest), encoding="utf-8")
    # A host of static pages must not leave out names that begin with an underscore.
    (site / ".nojekyll").touch()
