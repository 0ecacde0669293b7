"""A page of Markdown as one HTML file, to be opened without any other program."""

import html
from pathlib import Path

from markdown_it import MarkdownIt

STYLE = """\
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --link: #6cb6e8; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; margin: 1.8em 0 0.6em; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: 0.2em; }
a { color: var(--link); }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1em 0; }
th, td { border: 1px solid var(--line); padding: 0.25em 0.6em; text-align: left; }
th { background: var(--soft); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { background: var(--soft); padding: 0.8em; overflow-x: auto; border-radius: 4px; }
:not(pre) > code { background: var(--soft); padding: 0.1em 0.3em; border-radius: 3px; }
"""
POLICY = "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'"
"""The page runs no script and loads nothing but its pictures."""


def render(markdown: str, title: str) -> str:
    """The page in HTML. Tags in the text are shown as they stand, not interpreted."""
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        f"<body>\n{renderer.render(markdown)}</body>\n</html>\n"
    )


def write(page: Path, title: str) -> Path:
    """Write `index.html` beside a page; returns its path."""
    path = page.with_name("index.html")
    path.write_text(render(page.read_text("utf-8"), title), encoding="utf-8")
    return path
