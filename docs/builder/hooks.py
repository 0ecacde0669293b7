"""Makes the documentation's site from the repository.

It takes results/README.md, the pages of results/reference and the notes of studies/ in,
generates the gallery of experiments, and gives the site a version: its files lie in a
folder of that name, beside those of other versions. The layout is that of mike, so the
theme offers the versions that are there.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # MkDocs looks for modules beside this file only.

import mpbench  # noqa: E402
from docs.builder import gallery, reference, versions  # noqa: E402

TAKEN_IN = {
    "results.md": "results/README.md",
    "reference.md": "results/reference/README.md",
    "studies.md": "studies/README.md",
    **{
        f"study-{path.name}": path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "studies/notes").glob("*.md"))
    },
}
"""Pages of other folders: their names in the site, and their files."""
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)[^)\s]*\)")
"""Links to files of the repository that the site lacks."""


def on_config(config: Any) -> Any:
    """The version's name and folder; pages that the menu lacks come at its end."""
    config.site_name = f"mpbench {mpbench.__version__}"
    config.site_dir = str(Path(config.site_dir) / mpbench.__version__)
    config.extra["version"] = {"provider": "mike"}
    folder = Path(config.docs_dir)
    named = (Path(config.config_file_path)).read_text(encoding="utf-8")
    more = [p.name for p in folder.glob("*.md") if f"- {p.name}\n" not in named]
    if more:
        config.nav.append({"More": sorted(more)})
    return config


def on_files(files: Files, config: Any) -> Files:
    for name, source in TAKEN_IN.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = in_site(text, (ROOT / source).parent)
        files.append(File.generated(config, name, content=text))
    for place, what in reference.files(ROOT, place_in_site):
        files.append(
            File.generated(config, place, content=what)
            if isinstance(what, str)
            else File.generated(config, place, abs_src_path=str(what))
        )
    found = gallery.entries()
    files.append(File.generated(config, "gallery.md", content=gallery.page(found)))
    for entry in found:
        files.append(
            File.generated(
                config, entry.copy, abs_src_path=str(gallery.ROOT / entry.file)
            )
        )
        files.append(
            File.generated(config, entry.picture, abs_src_path=str(entry.figure))
            if entry.figure
            else File.generated(config, entry.picture, content=entry.drawing)
        )
    return files


def place_in_site(path: Path) -> str | None:
    """The path in the site of a file of the repository, if the site has it."""
    taken = {(ROOT / source).resolve(): name for name, source in TAKEN_IN.items()}
    if path in taken or path.parent == ROOT / "docs":
        page = taken.get(path, path.name)
        return str(Path(page).with_suffix(".html"))
    return reference.path_in_site(path, ROOT) or gallery.path_in_site(path)


def in_site(text: str, folder: Path) -> str:
    """The text of a page of `folder` with the links that the site has.

    A link to a file of the repository that the site lacks becomes one from docs/.
    """
    pages = {(ROOT / source).resolve(): name for name, source in TAKEN_IN.items()}

    def moved(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        anchor = link[2] or ""
        if target in pages:
            return f"]({pages[target]}{anchor})"
        there = reference.path_in_site(target, ROOT) or gallery.path_in_site(target)
        if there is not None:
            return f"]({there}{anchor})"
        if not target.is_relative_to(ROOT):
            return link[0]
        return f"]({os.path.relpath(target, ROOT / 'docs')}{anchor})"

    return LINK.sub(moved, text)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri not in TAKEN_IN:
        markdown = in_site(markdown, ROOT / "docs")
    return OUTSIDE.sub(r"\1 (`\2` in the repository)", markdown)


def on_post_build(config: Any) -> None:
    """List the versions that lie side by side, and lead to the newest."""
    versions.write(Path(config.site_dir).parent)
