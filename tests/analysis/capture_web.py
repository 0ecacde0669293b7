"""Capture captured/curl* and captured/ab* by runs in the virtual lab.

    python -m tests.analysis.capture_web [SCENARIO...]

Not part of the test suite: the suite reads what this once wrote. What cannot be asked
for, such as a server that speaks plain TCP, is had by changing the guest's code before
it runs. Counters that are 0 are left out of the files.
"""

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from jobs import dump
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.virtual.lab import Lab, lab_with, script

CAPTURED = Path(__file__).parent / "captured"
MPTCP = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
TCP = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
SLOW = {"path1.capacity": "1 Mbit/s", "path2.capacity": "1 Mbit/s"}
MAIN = (
    "import sys; from tools import web; from tools.curl import processes as curl; {} ; "
    "from mpbench.guest.main import main; sys.exit(main())"
)
NO_FILE = "web.FILE = 'none'; web.url = lambda t, a: f'http://{a}:80/nowhere'"
OTHER_PORT = "web.url = lambda t, a: f'http://{a}:81/file'"
PLAIN_SERVER = "web.over = lambda transport, argv: tuple(argv)"
DEAF_SERVER = (
    "web.CONFIGURATION = web.CONFIGURATION.replace('listen {port}', 'listen 81')"
)
VARYING_ANSWER = (
    "web.CONFIGURATION = web.CONFIGURATION.replace('root {folder}/www;',"
    " 'location / {{ return 200 $connection; }}')"
)


@dataclass(frozen=True)
class Scenario:
    traffic: dict[str, Any]
    case: dict[str, Any] = field(default_factory=lambda: MPTCP)
    parameters: dict[str, Any] = field(default_factory=dict)
    change: str | None = None


CURL = {"tool": "curl", "size": "200 kB", "timeout": "3 s"}
AB = {"tool": "ab", "size": "20 kB", "requests": 60}
SCENARIOS = {
    "curl": Scenario({**CURL, "size": "2 MB"}),
    "curl-tcp": Scenario(CURL, TCP),
    "curl-small": Scenario({**CURL, "size": "8 kB"}),
    "curl-timeout": Scenario({**CURL, "size": "2 MB"}, parameters=SLOW),
    "curl-no-answer": Scenario(CURL, TCP, {"path1.loss": "100 %"}),
    "curl-refused": Scenario(CURL, change=OTHER_PORT),
    "curl-not-found": Scenario(CURL, change=NO_FILE),
    "curl-fallback": Scenario(CURL, change=PLAIN_SERVER),
    "curl-deaf-server": Scenario(CURL, change=DEAF_SERVER),
    "ab": Scenario({"tool": "ab", "size": "300 kB", "duration": "4 s"}),
    "ab-keep-alive": Scenario({**AB, "keep_alive": True, "concurrency": 4}),
    "ab-failed": Scenario({**AB, "size": "1 B"}, TCP, change=VARYING_ANSWER),
    "ab-not-found": Scenario(AB, TCP, change=NO_FILE),
    "ab-refused": Scenario(AB, TCP, change=OTHER_PORT),
    "ab-silence": Scenario({**AB, "timeout": "2 s"}, TCP, {"path1.loss": "50 %"}),
}


def capture(name: str, scenario: Scenario, root: Path) -> None:
    spec = {
        "name": "capture",
        "topology": "two_path",
        "parameters": scenario.parameters,
        "cases": {"only": scenario.case},
        "traffic": [{"from": "client", "to": "server", **scenario.traffic}],
    }
    (run,) = make_plan(loads(yaml.safe_dump(spec)), {}).runs
    lab = Lab(root)
    if scenario.change:
        lab = lab_with(root, script(MAIN.format(scenario.change)))
    ended, artefacts = lab.execute(dump(run.job))
    target = CAPTURED / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / "job.json").write_text(json.dumps(run.job, indent=1) + "\n")
    for path in artefacts.iterdir():
        if path.name.startswith(("traffic-", "outcome", "qdisc", "link")):
            shutil.copy(path, target)
        if path.name.startswith("nstat-"):
            counted = json.loads(path.read_text())["kernel"]
            counted = {key: value for key, value in counted.items() if value}
            text = json.dumps({"kernel": counted}, indent=1, sort_keys=True)
            (target / path.name).write_text(text + "\n")
    print(name, ended.status, ended.reason)


def main(names: list[str]) -> None:
    for name in names or list(SCENARIOS):
        with tempfile.TemporaryDirectory() as root:
            capture(name, SCENARIOS[name], Path(root))


if __name__ == "__main__":
    main(sys.argv[1:])
