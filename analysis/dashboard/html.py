"""Write the dashboard: one HTML file with markup, style, code and data.

The drawing code is the project's own. Two linked plots of a thousand points need a few
hundred lines over the browser's canvas. A plotting library would add megabytes to each
dashboard, which the browser would parse before it draws the first point.

The data of all runs is plain JSON. The details of each run are compressed in chunks,
and the browser decompresses a chunk when the reader opens a run.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from analysis.campaign.campaign import Campaign
from analysis.dashboard.details import detail, without_files
from analysis.dashboard.payload import payload
from analysis.dashboard.theory import RunTheory

ASSETS = Path(__file__).parent / "assets"
BUNDLE = "dashboard.js"
"""The modules of assets/src in one file; `make dashboard` writes it."""
CHUNK = 32
"""Number of runs that the page decompresses together."""


def dashboard(title: str, campaigns: Sequence[Campaign]) -> str:
    """The page with all runs of the campaigns. The same results give the same text.

    Raises ValueError if there is no run, or a campaign without the runs' folders.
    """
    campaigns = _told_apart(campaigns)
    data = payload(campaigns)
    data["chunk"] = CHUNK
    parts = {
        "title": escape(title),
        "style": _asset("style.css"),
        "networks": "\n".join(map(_network, campaigns)),
        "data": _json({"title": title, **data}),
        "details": "\n".join(_chunks(_details(campaigns, data))),
        "script": _asset(BUNDLE),
    }
    page = _asset("page.html")
    for name, text in parts.items():
        before, mark, after = page.partition(f"<!--{name}-->")
        if not mark:
            raise RuntimeError(f"page.html: no place for {name}")
        page = f"{before}{text}{after}"
    return page


def _told_apart(campaigns: Sequence[Campaign]) -> list[Campaign]:
    """Campaigns of one name with their folders behind it, or else with numbers.

    Under one name, their cases would be one case, with the runs of all.
    """
    counts = Counter(campaign.name for campaign in campaigns)
    given = {name for name, count in counts.items() if count == 1}
    found = []
    for number, campaign in enumerate(campaigns, start=1):
        name = campaign.name
        if counts[name] > 1:
            folder = Path(campaign.shown).name if campaign.shown else ""
            name = f"{name} ({folder})" if folder else f"{name} ({number})"
            if name in given:
                name = f"{campaign.name} ({number})"
        given.add(name)
        found.append(replace(campaign, name=name))
    return found


def _network(campaign: Campaign) -> str:
    """The drawing of a campaign's network, which the reader can open."""
    if not campaign.network:
        return ""
    summary = f"<summary>Network of {escape(campaign.name)}</summary>"
    return f'<details class="network">{summary}\n{campaign.network}</details>'


def _details(
    campaigns: Sequence[Campaign], data: dict[str, Any]
) -> Iterable[dict[str, Any]]:
    theories = [RunTheory(campaign) for campaign in campaigns]
    for row, number in enumerate(data["campaign"]):
        folder = campaigns[number].folder
        verdict = data["verdicts"][data["verdict"][row]]
        found = detail(folder / data["id"][row], verdict) if folder else without_files()
        case = data["cases"][data["case"][row]]["name"]
        if len(campaigns) > 1:
            case = case.removeprefix(f"{campaigns[number].name}: ")
        lines = theories[number].of(data["point"][row], case)
        yield {**found, "theory": lines} if lines else found


def _chunks(details: Iterable[dict[str, Any]]) -> Iterable[str]:
    chunk: list[dict[str, Any]] = []
    for run in details:
        chunk.append(run)
        if len(chunk) == CHUNK:
            yield _deflated(chunk)
            chunk = []
    if chunk:
        yield _deflated(chunk)


def _deflated(chunk: Sequence[dict[str, Any]]) -> str:
    text = json.dumps(chunk, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _json(value: Any) -> str:
    """The value as JSON that cannot end the script element around it."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
