"""Peers that try to execute code in the process of a campaign.

Each payload notes the process in which it was executed, as a file named by its number.
A test fails if the campaign's process is among them.
"""

import asyncio
import contextlib
import os
import pickle
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from distributed.comm.core import connect
from distributed.protocol.pickle import dumps
from distributed.protocol.serialize import Serialized, ToPickle, serialize
from distributed.security import Security

from mpbench.cluster import pickles
from mpbench.store import layout, runs
from tests.cluster import tls
from tests.cluster.conftest import START_S, Workers, wait_for
from tests.cluster.test_jobs import noted, programs
from tests.cluster.test_workers import command, experiment, started

pytestmark = pytest.mark.slow

PAYLOAD = "open({folder!r} + '/' + str(__import__('os').getpid()), 'w').close()"


class Payload:
    """An object whose pickle executes code."""

    def __init__(self, folder: Path) -> None:
        self.code = PAYLOAD.format(folder=str(folder))

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.code,)


HOSTILE_WORKER = """\
from mpbench.cluster import worker

class Payload(Exception):
    def __reduce__(self):
        return exec, ({code!r},)

def {function}(*_):
    {act}

worker.{function} = {function}
"""


ANSWERS = (
    ("execute", "return Payload()"),
    ("execute", "raise Payload()"),
    ("execute", "return [b'', Payload()]"),
    ("identity", "return Payload()"),
    ("identity", "raise Payload()"),
    ("execute", "return b'x' * (300 << 20)"),
)
"""Acts of hostile workers."""


@dataclass
class Campaign:
    """A campaign on jobs of stand-ins for a batch system's programs."""

    process: "subprocess.Popen[str]"
    out: Path
    keys: Path
    address: str = ""
    said: list[str] = field(default_factory=list)

    def end(self) -> int:
        self.said.append(self.process.communicate(timeout=START_S)[0])
        return self.process.returncode


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    folder = programs(tmp_path / "batch", "pbs")
    file = experiment(tmp_path, points=40)
    out, keys = tmp_path / "out", tmp_path / "keys"
    options = f"jobs=1&memory=1GiB&interface=lo&folder={tmp_path / 'local'}&keys={keys}"
    process = subprocess.Popen(
        command("run", file, "--backend", "fake", "--out", out,
                "--on", f"pbs://short?{options}"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
             "MPBENCH_FAKE": '{"wall_s": 0.3}'},
    )  # fmt: skip
    begun = Campaign(process, out, keys)
    try:
        wait_for(lambda: len(runs.finished(layout.Results(out))) >= 2)
        (script,) = folder.glob("job.*[0-9]")
        found = re.search(r"tls://\S+", script.read_text())
        assert found is not None
        begun.address = found.group()
        yield begun
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=START_S)
        for job in noted(folder / "submitted"):
            subprocess.run(["kill", "-9", "--", f"-{job}"], stderr=subprocess.DEVNULL)


def holder(keys: Path) -> Any:
    """Whoever has the key of a worker, as its job does."""
    (folder,) = keys.iterdir()
    names = {f"tls_client_{kind}": str(folder / f"{file}.pem")
             for kind, file in (("cert", "certificate"), ("key", "key"))}  # fmt: skip
    return Security(  # type: ignore[no-untyped-call]
        require_encryption=True, tls_ca_file=str(folder / "certificate.pem"), **names
    )


async def send(address: str, security: Any, *messages: dict[str, Any]) -> list[Any]:
    """Answers of the scheduler to each message, on a connection for all of them."""
    arguments = security.get_connection_args("client") if security else {}
    opened: Any = connect
    comm = await opened(address, timeout=5, **arguments)
    answers = []
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        for message in messages:
            await comm.write(message)
            answers.append(await asyncio.wait_for(comm.read(), 2))
    comm.abort()
    return answers


def call(payload: Payload) -> dict[str, Any]:
    empty = {"args": dumps(()), "kwargs": dumps({})}  # type: ignore[no-untyped-call]
    return {
        "op": "run_function",
        "reply": True,
        "wait": True,
        "function": dumps(payload),  # type: ignore[no-untyped-call]
        **empty,
    }


def test_nobody_executes_code_in_a_campaign_on_jobs(
    campaign: Campaign, tmp_path: Path
) -> None:
    check_key(campaign)
    check_ports(campaign)
    check_without_key(campaign, tmp_path)
    check_with_key(campaign, tmp_path)
    assert campaign.end() == 0, campaign.said
    assert "80 ok" in campaign.said[0]
    assert list(campaign.keys.iterdir()) == []


def check_without_key(campaign: Campaign, tmp_path: Path) -> None:
    """As another user of the machine is, who has another certificate or none."""
    other = tmp_path / "other"
    ran = tmp_path / "ran"
    other.mkdir()
    ran.mkdir()
    tls.make(other)
    certificate = {"tls_ca_file": str(other / tls.CERTIFICATE),
                   "tls_client_cert": str(other / tls.CERTIFICATE),
                   "tls_client_key": str(other / tls.KEY)}  # fmt: skip
    security = Security(require_encryption=True, **certificate)  # type: ignore[no-untyped-call]
    plain = campaign.address.replace("tls://", "tcp://")
    for address, identity in ((campaign.address, security), (plain, None)):
        with pytest.raises(OSError):
            asyncio.run(send(address, identity, call(Payload(ran))))
    assert list(ran.iterdir()) == []


def check_with_key(campaign: Campaign, tmp_path: Path) -> None:
    """As a worker has it."""
    ran, written = tmp_path / "run-with-key", tmp_path / "written"
    ran.mkdir()
    security = holder(campaign.keys)
    payload = Payload(ran)
    wrapped: Any = Serialized
    graph = wrapped(*serialize(payload, serializers=["pickle"]))
    register = {"op": "register-client", "client": "x", "versions": {}, "reply": False}
    update = {"op": "update-graph", "expr_ser": graph, "keys": {"k"},
              "span_metadata": {}, "internal_priority": None,
              "submitting_task": None}  # fmt: skip
    enumeration = {"__Enum__": True, "__module__": "distributed.utils",
                   "__name__": "os", "name": "system"}  # fmt: skip
    tries: list[list[dict[str, Any]]] = [
        [call(payload)],
        [{"op": "identity", "n_workers": ToPickle(payload), "reply": True}],
        [{"op": "log_event", "topic": "all", "msg": ToPickle(payload)}],
        [{"op": "log_event", "topic": "warn", "reply": True,
          "msg": {"message": dumps(payload)}}],  # type: ignore[no-untyped-call]
        [{"op": "log_event", "topic": enumeration, "msg": 1}],
        [{"op": "dump_cluster_state_to_url", "url": f"file://{written}",
          "exclude": (), "format": "yaml", "reply": True}],
        [{"op": "register_scheduler_plugin", "name": "x", "idempotent": False,
          "plugin": dumps(payload), "reply": True}],  # type: ignore[no-untyped-call]
        [register, {"op": "nothing"}, update],
    ]  # fmt: skip
    for messages in tries:
        asyncio.run(send(campaign.address, security, *messages))
    assert list(ran.iterdir()) == []
    assert not list(tmp_path.glob("written*"))


def check_key(campaign: Campaign) -> None:
    """It is for its owner's eyes."""
    (folder,) = campaign.keys.iterdir()
    (key,) = folder.glob("key.pem")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    words = key.read_text().split("\n")[1:3]
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            shown = line.read_bytes().decode(errors="replace")
            assert words[0] not in shown and words[1] not in shown


def check_ports(campaign: Campaign) -> None:
    """No port answers without the key. Scheduler and workers would serve pages."""
    job = re.compile(rb"dask_worker|multiprocessing|mpbench")
    ports = [port for number, words in processes() if job.search(words)
             for port in listening(number)]  # fmt: skip
    address = int(campaign.address.rpartition(":")[2])
    assert address in ports and len(ports) >= 3
    for port in ports:
        with socket.create_connection(("127.0.0.1", port), 5) as peer:
            peer.settimeout(2)
            peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
            with contextlib.suppress(OSError):
                said = peer.recv(100)
                assert b"200" not in said, (port, said)


def processes() -> Iterator[tuple[int, bytes]]:
    """The processes of this test: those below it, and jobs, which have no parent."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == os.getuid():
                yield int(entry.name), (entry / "cmdline").read_bytes()


def listening(process: int) -> list[int]:
    """The TCP ports on which a process listens."""
    found, names = [], set()
    with contextlib.suppress(OSError):
        for each in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed since
                names.add(str(each.readlink()))
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines():
                words = line.split()
                if words[3] == "0A" and f"socket:[{words[9]}]" in names:
                    found.append(int(words[1].rpartition(":")[2], 16))
    return found


def test_workers_that_answer_with_pickles_execute_nothing_here(
    workers: Workers, tmp_path: Path
) -> None:
    ran, hooks = tmp_path / "ran", tmp_path / "hooks"
    ran.mkdir()
    code = PAYLOAD.format(folder=str(ran))
    for number, (function, act) in enumerate(ANSWERS):
        folder = hooks / str(number)
        folder.mkdir(parents=True)
        text = HOSTILE_WORKER.format(code=code, function=function, act=act)
        (folder / "sitecustomize.py").write_text(text)
        workers.add(str(number), PYTHONPATH=str(folder))
    file = experiment(tmp_path, points=3)
    running = started(
        "run", file, "--backend", "fake", "--out", tmp_path / "out", *workers.on,
        "-j", len(ANSWERS),
    )  # fmt: skip
    said, _ = running.communicate(timeout=START_S)
    assert running.returncode in (1, 2), said
    assert "Traceback" not in said, said
    assert "a worker failed" in said, said
    assert "a worker answered with more than a run may have" in said, said
    assert str(running.pid) not in [path.name for path in ran.iterdir()]


def test_only_named_classes_come_out_of_a_pickle(tmp_path: Path) -> None:
    data = dumps(Payload(tmp_path))  # type: ignore[no-untyped-call]
    with pickles.only(frozenset({("builtins", "bytes")})):
        with pytest.raises(pickles.RefusedPickleError, match=r"imports builtins\.exec"):
            pickle.loads(data)
        assert pickle.loads(pickle.dumps(bytes)) is bytes
    assert list(tmp_path.iterdir()) == []
    assert "exec" in pickles.strings(data)
