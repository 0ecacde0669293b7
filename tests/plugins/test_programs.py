"""Programs of users: what is read of their files, and where they are kept."""

import hashlib
import json
import random
import shutil
from pathlib import Path

import pytest

from jobs import dump
from mpbench.backends import prepared, programs
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.plan.job_format import load as check
from mpbench.plugins import elf
from mpbench.store import content
from tests.calls import Command
from tests.plugins.elves import elf as made

pytestmark = pytest.mark.slow

TOOL = """\
KEYS = {"endpoint": "program"}
NUMBERS = {"x": "1"}
def processes(entry, address):
    return [{"role": "client", "argv": [entry["endpoint"]]}]
def read(folder, entry):
    return {"x": 1}
"""
FILE = """\
name: own
plugins:
  programs: {sender: build/sender, other: build/other}
  tools: bulk.py
topology: two_path
cases: {reno: {protocol: tcp, congestion_control: reno, path: 1}}
traffic:
  - {tool: bulk, from: client, to: server, duration: 2 s, endpoint: sender}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An experiment with two programs, of which its tool uses one."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/sender").write_bytes(made())
    (tmp_path / "build/other").write_bytes(made() + b"other")
    (tmp_path / "bulk.py").write_text(TOOL)
    place = tmp_path / "own.yaml"
    place.write_text(FILE)
    return place


def fault(file: Path) -> str:
    with pytest.raises(UserError) as refused:
        load(file)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_what_is_read_of_a_program() -> None:
    assert elf.read(made()) == elf.Program((), None)
    assert elf.read(made(kind=3)) == elf.Program((), None)
    needs = ["libc.so.6", "libm.so.6"]
    assert elf.read(made(needs, "GLIBC_2.34")) == elf.Program(tuple(needs), (2, 34))
    assert elf.read(made(needs, "GCC_3.0")).glibc is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not an ELF file"),
        (b"#!/bin/sh\n", "not an ELF file but a script"),
        (made()[:40], "an ELF file that is cut short"),
        (made()[:100], "a damaged head"),
        (made(machine=183), "for ARM64; guests are x86-64"),
        (made()[:4] + b"\1" + made()[5:], "for 32-bit machines; guests are x86-64"),
        (made(machine=3), "for i386; guests are x86-64"),
        (made(kind=1), "that is no program; link it as an executable"),
        (made(kind=3, entry=0), "a library and no program"),
        (made(["libc.so.6"], loader=b"/lib/ld-musl-x86_64.so.1\0"), "ld-musl-x86_64"),
        (made(["../libc"]), "a damaged head"),
    ],
)
def test_what_is_no_program(file: Path, data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        elf.read(data)
    (file.parent / "build/sender").write_bytes(data)
    assert reason in fault(file)


def test_a_damaged_head_is_refused_and_nothing_else_happens() -> None:
    whole, drawn = made(["libc.so.6"], "GLIBC_2.34"), random.Random(1)
    for _ in range(5_000):
        data = bytearray(whole[: drawn.choice([len(whole), drawn.randrange(500)])])
        for _ in range(min(len(data), drawn.randrange(1, 6))):
            data[drawn.randrange(len(data))] = drawn.choice([0, 1, 255, 128])
        try:
            found = elf.read(bytes(data))
        except ValueError as error:
            assert "\n" not in str(error)
        else:
            assert all(name.isprintable() for name in found.libraries)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("build/sender,", "build/no,", "No such file"),
        ("build/sender,", "build,", "not a regular file"),
        ("sender: build", "Sender: build", "not the name of a program"),
        ("{sender: build/sender, other: build/other}", "x", "expected {NAME: FILE}"),
        ("build/sender,", "3,", "expected {NAME: FILE}"),
        ("endpoint: sender", "endpoint: sendre", "did you mean 'sender'?"),
        (", endpoint: sender", "", "bulk needs it, a program"),
        ("programs:", "program:", "no kind 'program'; did you mean 'programs'?"),
    ],
)
def test_bad_input_is_one_line(file: Path, old: str, new: str, reason: str) -> None:
    file.write_text(FILE.replace(old, new))
    assert reason in fault(file)


def test_a_program_that_is_too_large(file: Path) -> None:
    with (file.parent / "build/sender").open("ab") as grown:
        grown.truncate((64 << 20) + 1)
    assert "larger than 64 MiB; strip it" in fault(file)


def test_a_job_has_the_hash_of_what_its_run_uses(file: Path) -> None:
    run = make_plan(load(file), {}).runs[0]
    sender = hashlib.sha256(made()).hexdigest()
    assert run.job.programs == {"sender": sender}
    assert dump(run.job)["traffic"][0]["values"] == {"endpoint": "/run/programs/sender"}
    (file.parent / "build/other").write_bytes(made() + b"built again")
    assert make_plan(load(file), {}).runs[0].id == run.id
    (file.parent / "build/sender").write_bytes(made() + b"built again")
    assert make_plan(load(file), {}).runs[0].id != run.id
    job = json.loads(json.dumps(dump(run.job)))
    for name, value in (("../x", sender), ("sender", "../x")):
        with pytest.raises(ValueError, match="is not"):
            check({**job, "programs": {name: value}})


def test_a_command_finds_a_program_by_its_name(file: Path) -> None:
    entry = "tool: command, client: [env, A=1, other, x]"
    file.write_text(FILE.replace("tool: bulk", entry).replace(", endpoint: sender", ""))
    (run,) = make_plan(load(file), {}).runs
    assert run.job.programs == {"other": content.add(made() + b"other")}


def test_settings_beside_the_file(file: Path) -> None:
    named = "  programs: {sender: build/sender, other: build/other}\n"
    file.write_text(FILE.replace(named, ""))
    (file.parent / "mpbench.toml").write_text(
        '[plugins.programs]\nsender = "build/sender"\n'
    )
    (run,) = make_plan(load(file), {}).runs
    assert set(run.job.programs or ()) == {"sender"}


def test_results_keep_a_program_once(file: Path, command: Command) -> None:
    out = file.parent / "out"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    (kept,) = (out / "programs").iterdir()
    assert kept.read_bytes() == made()
    shutil.rmtree(file.parent / "build")
    shutil.rmtree(content.folder())
    for words in (("verify", out), ("verify", "--stored", out), ("report", out)):
        done = command(*words)
        assert done.status == 0, done.err
    merged = file.parent / "merged"
    assert command("merge", out, "--out", merged).status == 0
    assert (merged / "programs" / kept.name).read_bytes() == made()
    shutil.rmtree(content.folder())
    kept.write_bytes(b"another")
    done = command("verify", out)
    assert done.status == 2 and "not the file that its name says" in done.err
    done = command("verify", "--stored", out)
    assert done.status == 1 and f"programs/{kept.name}" in done.out.replace("'", "")
    shutil.rmtree(merged)
    for damage in (kept.write_bytes, lambda _: kept.unlink()):
        damage(b"another")
        done = command("merge", out, "--out", merged)
        assert done.status == 1
        assert f"programs/{kept.name}: none of the folders has the file" in done.out
        shutil.rmtree(merged)
    assert command("merge", out, "--out", merged).status == 1
    done = command("verify", "--stored", out)
    assert done.status == 1
    assert f"programs/{kept.name}: missing, and runs need it" in done.out


def test_a_folder_in_the_place_of_a_program_is_named(
    file: Path, command: Command
) -> None:
    out = file.parent / "out"
    assert command("run", file, "--backend", "fake", "--out", out).status == 0
    (kept,) = (out / "programs").iterdir()
    kept.unlink()
    (kept / "x").mkdir(parents=True)
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 2
    assert f"{kept}: is a folder where a file belongs; remove it" in done.err


def test_only_guests_execute_programs(file: Path) -> None:
    """Native runs and workers of a cluster refuse them."""
    (run,) = make_plan(load(file), {}).runs
    with pytest.raises(UserError, match=r"has no place for programs .*'sender'"):
        prepared.refuse_content([run.job], "--backend native")


def test_what_a_guest_finds_in_its_folder(file: Path) -> None:
    (run,) = make_plan(load(file), {}).runs
    folder = file.parent / "run"
    folder.mkdir()
    prepared.prepare(run.job, folder)
    assert (folder / "programs/sender").read_bytes() == made()
    (content.folder() / (run.job.programs or {})["sender"]).write_bytes(b"another")
    with pytest.raises(UserError, match="is not there any more"):
        prepared.prepare(run.job, folder)


@pytest.mark.parametrize(
    ("libraries", "version", "reason"),
    [
        (["libc.so.6", "libnone.so.1"], "", "needs libnone.so.1, which guests lack"),
        (["libc.so.6"], "GLIBC_2.99", "needs glibc 2.99, and guests have 2."),
        (["libc.so.6"], "GLIBC_2.34", ""),
    ],
)
def test_libraries_that_guests_lack(
    file: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    libraries: list[str],
    version: str,
    reason: str,
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    (file.parent / "build/sender").write_bytes(made(libraries, version))
    spec = load(file)
    if not reason:
        programs.check(spec)
        return
    with pytest.raises(UserError) as refused:
        programs.check(spec)
    assert reason in str(refused.value) and "\n" not in str(refused.value)
    for words in (["plan"], ["run", "--dry-run"]):
        done = command(*words, file)
        assert done.status == 2 and f"{file.name}:" in done.err and reason in done.err


def test_a_name_that_guests_have(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    file.write_text(
        FILE.replace("sender", "iperf3").replace("build/iperf3", "build/sender")
    )
    with pytest.raises(UserError, match="a program of guests has this name"):
        programs.check(load(file))


def test_a_file_as_a_key(file: Path, command: Command) -> None:
    keys = 'KEYS = {"endpoint": "program", "page": "file"}'
    (file.parent / "bulk.py").write_text(
        TOOL.replace('KEYS = {"endpoint": "program"}', keys)
    )
    assert "missing; bulk needs it, a file" in fault(file)
    file.write_text(FILE.replace("sender}\n", "sender, page: page.har}\n"))
    assert "traffic[0].page: page.har: No such file" in fault(file)
    with (file.parent / "page.har").open("wb") as page:
        page.truncate((16 << 20) + 1)
    assert "larger than 16 MiB; give a smaller one" in fault(file)
    (file.parent / "page.har").write_bytes(b"a page")
    name = hashlib.sha256(b"a page").hexdigest()
    (run,) = make_plan(load(file), {}).runs
    assert run.job.files == (name,)
    assert dump(run.job)["traffic"][0]["values"]["page"] == f"/run/files/{name}"
    out = file.parent / "out"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    assert (out / "programs" / name).read_bytes() == b"a page"
    (file.parent / "page.har").unlink()
    shutil.rmtree(content.folder())
    done = command("verify", out)
    assert done.status == 0, done.err
    (again,) = make_plan(load(out / "experiment.yaml", of_results=True), {}).runs
    assert again.id == run.id
    file.write_text(FILE.replace("sender}\n", "sender, page: 3}\n"))
    assert "expected the name of a file" in fault(file)
