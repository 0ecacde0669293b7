"""Needs of a job that a kernel lacks."""

from dataclasses import replace

from jobs import bare
from jobs.ends import Host
from mpbench.backends.features import Features, lacking

HAS = Features(
    controllers=("cubic", "reno"),
    schedulers=("default",),
    path_managers=("kernel",),
    sysctls=("net.ipv4.tcp_sack", "net.mptcp.enabled"),
    counters=(),
    fabric=False,
    release="6.12.118",
)


def needs(**sysctls: str) -> list[str]:
    """The lack of a kernel where one host sets these sysctls, by their last parts."""
    job = bare(1, 10.0)
    transport = replace(job.transport, congestion_control="cubic", scheduler="default")
    named = {f"net.ipv4.{name}": value for name, value in sysctls.items()}
    hosts = {"server": Host(sysctls=named)} if named else None
    made = replace(job, transport=transport, fabric=None, host_settings=hosts)
    return list(lacking(made, HAS))


def test_a_kernel_that_has_all() -> None:
    assert needs() == []
    assert needs(tcp_sack="0") == []


def test_a_sysctl_of_one_host_that_the_kernel_lacks() -> None:
    (reason,) = needs(tcp_sack="0", tcp_rto_max_ms="1000")
    assert reason.startswith("no sysctl 'net.ipv4.tcp_rto_max_ms'; ")
