"""Addresses that `--on` takes, and those that it refuses in a line."""

import pytest

from mpbench.cluster.address import parse, walltime
from mpbench.cluster.connect import check_plain
from mpbench.errors import UserError


def test_a_scheduler_that_is_there() -> None:
    address = parse("dask://login.example:8786")
    assert (address.kind, address.place) == ("dask", "login.example:8786")
    assert parse("tls://[::1]:8786").place == "[::1]:8786"


def test_a_batch_system() -> None:
    text = "slurm://short?jobs=8&cores=4&memory=8GiB&time=1-02:00:00&interface=ib0"
    address = parse(text)
    assert (address.kind, address.place) == ("slurm", "short")
    assert (address.jobs, address.cores) == (8, 4)
    assert address.options["time"] == "1-02:00:00"
    assert parse("pbs://").jobs == 1


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("90", "01:30:00"),
        ("90:30", "01:30:30"),
        ("02:00:00", "02:00:00"),
        ("1-2", "26:00:00"),
        ("1-02:30", "26:30:00"),
        ("1-02:30:15", "26:30:15"),
    ],
)
def test_a_time_means_the_same_in_every_batch_system(text: str, hours: str) -> None:
    """As the manual page of Slurm's sbatch says of --time."""
    assert walltime(text) == hours


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("login:8786", "not an address"),
        ("nowhere", "not an address; write tls://HOST:8786"),
        ("slrm://short", "did you mean 'slurm'?"),
        ("dask://login", "no port; write dask://HOST:8786"),
        ("dask://login:0", "no port"),
        ("dask://login:8786?jobs=2", "takes no options"),
        ("dask://me:secret@login:8786", "only a place and options"),
        ("slurm://short/x", "only a place and options"),
        ("slurm://short?job=2", "did you mean 'jobs'?"),
        ("slurm://short?jobs=0", "jobs: '0' is no value of it"),
        ("slurm://short?jobs=2&jobs=3", "there twice"),
        ("slurm://short?time=soon", "time: 'soon'"),
        ("kubernetes://lab?jobs=2", "image is missing"),
        ("sge://all.q?cores=4", "cores: needs parallel=NAME"),
        ("pbs://long?parallel=smp", "'parallel': "),
        ("slurm://short?keys=here", "keys: 'here' is no value of it"),
    ],
)
def test_what_means_nothing_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"--on {text}: ")


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("dask://login:8786", "use tls://login:8786"),
        ("kubernetes://lab?image=x", "a scheduler with certificates and tls://"),
    ],
)
def test_a_plain_scheduler_needs_a_switch(text: str, instead: str) -> None:
    address = parse(text)
    with pytest.raises(UserError) as caught:
        check_plain(address, False)
    assert instead in str(caught.value)
    assert "--insecure-plain-dask" in str(caught.value)
    check_plain(address, True)


@pytest.mark.parametrize("text", ["tls://login:8786", "slurm://short"])
def test_the_switch_has_no_use_with_certificates(text: str) -> None:
    check_plain(parse(text), False)
    with pytest.raises(UserError, match="has certificates"):
        check_plain(parse(text), True)
