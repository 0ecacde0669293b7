"""The key `guest`: the memory of guests, and connections that do not fit into it."""

from pathlib import Path
from typing import Any

import pytest

from jobs import dump
from mpbench import guest_memory
from mpbench.backends import boot, confinement
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import advice, job_format, long_connections, make_plan
from tests.parts import part
from tests.spec.files import text

EIGHT = {
    "protocol": "mptcp",
    "congestion_control": "lia",
    "scheduler": "lowrtt",
    "path_manager": {"name": "ndiffports", "subflows": 8},
}


def centre(to: str, topology: str = "fattree-k8", **sections: Any) -> str:
    entry = {"tool": "flows", "from": "hosts", "to": to, "duration": "20 s"}
    return text(
        topology=topology,
        design=None,
        cases={"eight": EIGHT},
        traffic=[entry],
        **sections,
    )


def job(**sections: Any) -> dict[str, Any]:
    return dump(make_plan(loads(text(design=None, **sections)), {}).runs[0].job)


def test_the_usual_memory_changes_nothing() -> None:
    for memory in ("1 GiB", "1024 MiB", "1048576 KiB"):
        assert job(guest={"memory": memory}) == job()
        given = loads(text(guest={"memory": memory}))
        assert given.digest == loads(text()).digest
    assert "guest" not in job()


def test_other_memory_is_part_of_the_job() -> None:
    made = job(guest={"memory": "2.5 GiB"})
    assert made["guest"] == {"memory_mib": 2560}
    assert {k: v for k, v in made.items() if k != "guest"} == job()
    assert loads(text(guest={"memory": "2 GiB"})).digest != loads(text()).digest
    machine = boot.LAB.of(job_format.load(made))
    assert (
        "mem=2560M" in machine.options()
        and boot.LAB.of(job_format.load(job())) is boot.LAB
    )
    with pytest.raises(ValueError, match=r"guest.memory_mib: .* 256"):
        job_format.load({**made, "guest": {"memory_mib": 1}})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"memory": 4}, "guest.memory: 4 has no unit; write '4 GiB'"),
        ({"memory": "100 MiB"}, "guest.memory: 100 MiB; 256 MiB to 64 GiB work"),
        ({"memory": "1000 GiB"}, "guest.memory: 1000 GiB; 256 MiB to 64 GiB work"),
        ({"memory": "2 s"}, "guest.memory: '2 s' is a time"),
        ({"cpus": 2}, "guest.cpus: unknown key"),
        ("2 GiB", "guest: "),
    ],
)
def test_faults_of_the_key(given: object, words: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text(guest=given), "f.yaml")
    (line,) = str(caught.value).splitlines()
    assert line.startswith("f.yaml:") and words in line


def test_long_connections_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads(centre("TP2"), "f.yaml"), {})
    (line,) = str(caught.value).splitlines()
    assert "traffic[0]: eight: 1536 long connections take about 1974 MB" in line
    assert "'guest: {memory: 2.5 GiB}', or give fewer connections: 626 work" in line


def test_what_the_message_offers_works() -> None:
    enough = loads(centre("TP2", guest={"memory": "2.5 GiB"}))
    assert not advice.warnings(enough, make_plan(enough, {}))
    assert make_plan(loads(centre("permutation")), {}).runs


def test_memory_that_the_file_gives_is_only_warned_of() -> None:
    spec = loads(centre("TP2", guest={"memory": "1 GiB"}))
    (line,) = advice.warnings(spec, make_plan(spec, {}))
    assert "1536 long connections take about 1974 MB" in line


@pytest.mark.parametrize(
    ("to", "subflows", "measured_mib"),
    [("permutation", 2, 1.4), ("permutation", 8, 3.0), ("TP2", 8, 1.0)],
)
def test_the_estimate_beside_measurements(
    to: str, subflows: int, measured_mib: float
) -> None:
    """It is never less, and at most twice as much."""
    manager = {"name": "ndiffports", "subflows": subflows}
    given = centre(to, guest={"memory": "8 GiB"})
    made = dump(make_plan(loads(given), {}).runs[0].job)
    made["transport"]["sysctls"]["net.mptcp.ndiffports"] = str(manager["subflows"])
    asked = job_format.load(made)
    (entry,) = asked.traffic
    assert isinstance(entry, part("flows", "record").Flows)
    each = long_connections.needed_bytes(asked, entry) / entry.drawn.flows
    assert measured_mib <= each / guest_memory.MIB <= 2 * measured_mib


def test_a_machine_with_less_memory_than_the_guest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(
        "MemTotal:       2097152 kB\nMemFree: 1 kB\n"
    )
    assert confinement.machine_memory(tmp_path) == 2 << 30
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    assert confinement.machine_memory(tmp_path) == 2 << 30
    (group / "memory.max").write_text(f"{3 << 29}\n")
    assert confinement.machine_memory(tmp_path) == 3 << 29
    assert confinement.machine_memory(tmp_path / "nothing") == 0
    monkeypatch.setattr(confinement, "machine_memory", lambda: 3 << 29)
    confinement.require_memory(3 << 29)
    with pytest.raises(
        UserError, match="a guest has 2048 MiB of memory, and this mach"
    ):
        confinement.require_memory(2 << 30)
    monkeypatch.setattr(confinement, "machine_memory", lambda: 1 << 29)
    confinement.require_memory(1 << 30)  # the usual guest rarely uses all of it
