"""Which packages a release stands for, and how an experiment names them."""

import json
import re
from pathlib import Path

import pytest

from jobs import writing
from jobs.linux import Linux, Package
from mpbench.backends.qemu import archive, binaries, pins
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads

TEXT = """\
name: qemu
topology: two_path
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
kernels:
  plain: {linux: "6.12", machine: qemu}
cases:
  a: {protocol: mptcp, congestion_control: cubic, kernel: plain}
"""
PIN = (
    "9.9 linux-image-9.9.1-cloud-amd64 9.9.1-1 sid 7 "
    + "ab" * 32
    + " pool/main/l/linux/linux-image-9.9.1-cloud-amd64_9.9.1-1_amd64.deb\n"
)


def test_the_pinned_releases_are_whole() -> None:
    known = pins.pinned()
    assert {"6.1", "6.12", "7.3"} <= set(known)
    for release, packages in known.items():
        assert packages[0].upstream.startswith(f"{release}.")
        assert packages[0].name.startswith("linux-image-")
        assert len({package.version for package in packages}) == 1
        assert pins.of(packages[0].upstream) == packages
        listed = [line for line in pins.lines(release, packages)]
        assert all(line in pins.FILE.read_text().splitlines() for line in listed)


def test_a_file_gets_the_packages_in_the_place_of_the_release(tmp_path: Path) -> None:
    spec = loads(TEXT)
    assert spec.in_qemu
    assert [p.record() for p in spec.kernels["plain"].packages] == list(pins.of("6.12"))
    stored = tmp_path / "experiment.yaml"
    stored.write_text(spec.text)
    again = load(stored, of_results=True)
    assert again.digest == spec.digest
    assert "sha256" in spec.text


def test_packages_of_a_file_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    text = loads(TEXT).text

    def of(release: str) -> tuple[Package, ...]:
        raise AssertionError(release)

    monkeypatch.setattr(pins, "of", of)
    assert loads(text).in_qemu


def test_a_release_that_is_not_pinned_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "lock").write_text(PIN)
    packages = pins.pinned(tmp_path / "lock")["9.9"]
    asked = []

    def newest(shell: object, folder: Path, release: str) -> tuple[Package, ...]:
        asked.append(release)
        return packages

    monkeypatch.setattr(archive, "newest", newest)
    assert pins.of("9.9") == packages
    assert pins.of("9.9") == packages
    assert asked == ["9.9"]
    (pins.folder() / "9.9.json").write_text("[{}]")
    assert pins.of("9.9") == packages
    assert asked == ["9.9", "9.9"]


def test_a_release_that_cannot_be_had_is_told_with_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(release: str) -> tuple[Package, ...]:
        raise UserError(f"Linux {release}: no")

    monkeypatch.setattr(pins, "of", of)
    words = r"experiment:5: kernels\.plain\.linux: Linux 6\.12: no"
    with pytest.raises(UserError, match=words):
        loads(TEXT)


def test_kernels_without_a_pin_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "lock").write_text(PIN)
    asked = pins.pinned(tmp_path / "lock")["9.9"]
    pins.folder().mkdir(parents=True)
    (pins.folder() / "9.9.json").write_text(json.dumps(writing.plain(asked)))
    keys = [
        binaries.key(Linux(lab=False, packages=packages))
        for packages in (pins.of("6.12"), asked)
    ]
    for name in (*keys, "0123"):
        (binaries.folder() / name).mkdir()
    (binaries.folder() / "lock").touch()
    assert [path.name for path in pins.unneeded(everything=False)] == ["0123"]
    whole = {path.name for path in pins.unneeded(everything=True)}
    assert whole == {*keys, "0123"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda pin: pin.replace("ab" * 32, "ab"), "SHA-256"),
        (lambda pin: pin.replace(" sid ", " ../sid "), "a suite"),
        (lambda pin: pin.replace(" 7 ", " x "), "no number of bytes"),
        (lambda pin: pin.replace(" 7 ", " 0 "), "greater than"),
        (lambda pin: pin.replace("main/l/linux", "main/../linux"), "path"),
        (lambda pin: pin.replace("pool/", "/pool/"), "path"),
        (lambda pin: pin.replace("linux-image", "-image", 1), "package of Linux"),
        (lambda pin: pin.replace(" sid", ""), "has 7 words"),
    ],
)
def test_a_line_that_is_no_pin_is_refused(
    change: "object", reason: str, tmp_path: Path
) -> None:
    assert callable(change)
    (tmp_path / "lock").write_text(change(PIN))
    with pytest.raises(UserError, match=reason):
        pins.pinned(tmp_path / "lock")


@pytest.mark.parametrize(
    ("version", "release", "expected"),
    [
        ("6.12.118-1", "6.12", True),
        ("6.12-1", "6.12", True),
        ("6.12.118-1", "6.12.118", True),
        ("6.12.118-1", "6.12.11", False),
        ("6.12.118-1", "6.1", False),
        ("7.3~rc7-1~exp1", "7.3", False),
        ("7.3.4-1~bpo13+1", "7.3", True),
    ],
)
def test_a_version_belongs_to_a_release(
    version: str, release: str, expected: bool
) -> None:
    assert archive.is_release(version, release) is expected


def test_the_parts_of_a_kernel_are_its_dependencies_of_the_same_version() -> None:
    version = "7.3.4-1~bpo13+1"
    image = {
        "Package": "linux-image-7.3.4+deb13-cloud-amd64",
        "Depends": "dracut | initramfs-tools (>= 0.120+deb8u2), "
        f"linux-base-7.3.4+deb13-cloud-amd64 (= {version}), "
        f"linux-binary-7.3.4+deb13-cloud-amd64 (= {version}), "
        f"linux-modules-7.3.4+deb13-cloud-amd64 (= {version})",
    }
    assert archive.parts(image) == {
        "linux-binary-7.3.4+deb13-cloud-amd64": version,
        "linux-modules-7.3.4+deb13-cloud-amd64": version,
    }


def test_a_job_names_a_kernel_by_its_packages() -> None:
    packages = pins.of("6.12")
    plain = writing.plain(packages)
    assert all(set(one) == set(pins.COLUMNS) for one in plain)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"6.12"', "6.12", r":5: kernels\.plain\.linux: 6\.12 is no text; write it in"),
        ('"6.12"', '"6"', r":5: kernels\.plain\.linux: '6' is no release"),
        ('linux: "6.12", ', "", r":5: kernels\.plain\.linux: missing; 'machine: qemu'"),
        (", machine: qemu", "", r":5: kernels\.plain: mpbench's network code"),
        ("qemu}", "uml}", r":5: kernels\.plain\.machine: .*'qemu'"),
        ("qemu}", "qemu, lab: none}", r":5: kernels\.plain\.lab: .*take it away"),
        ("qemu}", "qemu, options: {CONFIG_X: y}}", r"kernels\.plain\.options: "),
        ("qemu}", "qemu}\n  b: {base: plain, lab: none}", r":6: kernels\.b\.base: 'pl"),
        ("qemu}", "qemu, packages: []}", r"kernels\.plain\.packages: .*missing"),
        ("cubic", "olia", r":7: cases\.a\.congestion_control: kernel 'plain' is De"),
        (
            "kernel: plain",
            "kernel: plain, scheduler: lowrtt",
            r":7: cases\.a\.scheduler: kernel 'plain' is Debian's and has no scheduler"
            r" 'lowrtt'; it has: default",
        ),
        (
            "kernel: plain",
            "kernel: plain, path_manager: {name: ndiffports, subflows: 2}",
            r":7: cases\.a\.path_manager: kernel 'plain' is Debian's",
        ),
        ("name: qemu", "name: qemu\nfabric: true", r"fabric: kernel 'plain' is De"),
        (
            "duration: 3 s",
            "duration: 3 s, transport: {protocol: mptcp, congestion_control: lia}",
            r":3: traffic\[0\]\.transport\.congestion_control: kernel 'plain' is De",
        ),
    ],
)
def test_what_a_kernel_of_debians_cannot_do_is_refused_with_its_line(
    old: str, new: str, words: str
) -> None:
    assert old in TEXT
    with pytest.raises(UserError, match=words) as told:
        loads(TEXT.replace(old, new, 1))
    assert all(re.match(r"experiment:\d+: ", ln) for ln in str(told.value).split("\n"))
