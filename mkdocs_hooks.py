"""Takes results/README.md into the documentation's site, as its page on results."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

RESULTS = Path(__file__).parent / "results" / "README.md"
LINKS = {"](../results/README.md": "](results.md", "](../docs/": "]("}
"""In the repository, to how they are in the site."""


def on_config(config: Any) -> Any:
    """Pages that the menu does not name come at its end."""
    folder = Path(config.docs_dir)
    named = (Path(config.config_file_path)).read_text(encoding="utf-8")
    more = [p.name for p in folder.glob("*.md") if f"- {p.name}\n" not in named]
    if more:
        config.nav.append({"More": sorted(more)})
    return config


def on_files(files: Files, config: Any) -> Files:
    text = RESULTS.read_text(encoding="utf-8")
    files.append(File.generated(config, "results.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    for old, new in LINKS.items():
        markdown = markdown.replace(old, new)
    return markdown
