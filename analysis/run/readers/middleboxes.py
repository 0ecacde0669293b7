"""Reader of `middlebox-end.json`: how many packets each rule of a middlebox has met.

The file has what `nft -j list ruleset` prints at the end of a run, by node. Each box
has a table of its own, `box0` for the first of the job.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object

NAME = "middlebox-end.json"
TABLE = re.compile(r"box([0-9]{1,3})")
DROP, REJECT = "drop", "reject"


@dataclass(frozen=True)
class Met:
    """The packets that a rule has met.

    box : number in the job, from 0
    verdict : `drop`, `reject`, or "" for a rule that lets packets go on
    """

    box: int
    node: str
    chain: str
    verdict: str
    packets: int


def read(path: Path) -> tuple[Met, ...]:
    """All rules with a counter. Raises ValueError if the file is not of this form."""
    return tuple(_rules(read_object(path)))


def _rules(document: Mapping[str, Any]) -> Iterator[Met]:
    try:
        for node, listed in document.items():
            rules = [item["rule"] for item in listed["nftables"] if "rule" in item]
            for rule in rules:
                table = TABLE.fullmatch(rule["table"])
                parts = {key: part for one in rule["expr"] for key, part in one.items()}
                if table is None or "counter" not in parts:
                    continue
                verdict = next((v for v in (DROP, REJECT) if v in parts), "")
                count = values.count(parts["counter"]["packets"])
                yield Met(int(table[1]), node, str(rule["chain"]), verdict, count)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{NAME}: not what nft lists: {error!r}") from None
