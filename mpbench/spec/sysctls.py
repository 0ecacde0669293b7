"""The sysctls that an end host has in the virtual lab.

An end host has the files below /proc/sys/net of its network namespace. Those of Linux
7.3 are listed here, and those of the overlay stand in the kernel's own table, which
`mpbench.spec.knobs` reads. A patch that adds a row to that table therefore adds a
name here. `tests/virtual/test_sysctls.py` compares the names with a live guest.
"""

import re
from functools import cache

from mpbench.spec import knobs
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import suggestion

_LAST_PARTS = {
    "net.core": """
    bypass_prot_mem optmem_max rmem_default rmem_max somaxconn tstamp_allow_data
    txq_reselection_ms txrehash wmem_default wmem_max
    """,
    "net.ipv4": """
    fib_notify_on_flag_change fwmark_reflect icmp_echo_enable_probe
    icmp_echo_ignore_all icmp_echo_ignore_broadcasts icmp_errors_extension_mask
    icmp_errors_use_inbound_ifaddr icmp_ignore_bogus_error_responses
    icmp_msgs_burst icmp_msgs_per_sec icmp_ratelimit icmp_ratemask
    igmp_link_local_mcast_reports igmp_max_memberships igmp_max_msf
    ip_autobind_reuse ip_default_ttl ip_dynaddr ip_early_demux ip_forward
    ip_forward_update_priority ip_forward_use_pmtu ip_local_port_range
    ip_local_port_step_width ip_local_reserved_ports ip_no_pmtu_disc
    ip_nonlocal_bind ip_unprivileged_port_start ipfrag_high_thresh
    ipfrag_low_thresh ipfrag_max_dist ipfrag_time nexthop_compat_mode
    ping_group_range tcp_abort_on_overflow tcp_adv_win_scale
    tcp_allowed_congestion_control tcp_app_win tcp_autocorking
    tcp_available_congestion_control tcp_backlog_ack_defer tcp_base_mss
    tcp_challenge_ack_limit tcp_child_ehash_entries tcp_comp_sack_delay_ns
    tcp_comp_sack_nr tcp_comp_sack_rtt_percent tcp_comp_sack_slack_ns
    tcp_congestion_control tcp_dsack tcp_early_demux tcp_early_retrans tcp_ecn
    tcp_ecn_fallback tcp_ecn_option tcp_ecn_option_beacon tcp_ehash_entries
    tcp_fack tcp_fastopen tcp_fastopen_blackhole_timeout_sec tcp_fastopen_key
    tcp_fin_timeout tcp_frto tcp_fwmark_accept tcp_invalid_ratelimit
    tcp_keepalive_intvl tcp_keepalive_probes tcp_keepalive_time
    tcp_limit_output_bytes tcp_max_reordering tcp_max_syn_backlog
    tcp_max_tw_buckets tcp_migrate_req tcp_min_rtt_wlen tcp_min_snd_mss
    tcp_min_tso_segs tcp_moderate_rcvbuf tcp_mtu_probe_floor tcp_mtu_probing
    tcp_no_metrics_save tcp_no_ssthresh_metrics_save tcp_notsent_lowat
    tcp_orphan_retries tcp_pacing_ca_ratio tcp_pacing_ss_ratio
    tcp_pingpong_thresh tcp_plb_cong_thresh tcp_plb_enabled
    tcp_plb_idle_rehash_rounds tcp_plb_rehash_rounds tcp_plb_suspend_rto_sec
    tcp_probe_interval tcp_probe_threshold tcp_rcvbuf_low_rtt tcp_recovery
    tcp_reflect_tos tcp_reordering tcp_retrans_collapse tcp_retries1
    tcp_retries2 tcp_rfc1337 tcp_rmem tcp_rto_max_ms tcp_rto_min_us tcp_sack
    tcp_shrink_window tcp_slow_start_after_idle tcp_stdurg
    tcp_syn_linear_timeouts tcp_syn_retries tcp_synack_retries
    tcp_thin_linear_timeouts tcp_timestamps tcp_tso_rtt_log tcp_tso_win_divisor
    tcp_tw_reuse tcp_tw_reuse_delay tcp_window_scaling tcp_wmem
    tcp_workaround_signed_windows udp_child_hash_entries udp_early_demux
    udp_hash_entries udp_rmem_min udp_wmem_min
    """,
    "net.ipv4.route": """
    flush min_adv_mss min_pmtu mtu_expires
    """,
    "net.mptcp": """
    add_addr_timeout add_addr_v6_port_drop_ts allow_join_initial_addr_port
    available_path_managers available_schedulers blackhole_timeout checksum_enabled
    close_timeout enabled path_manager pm_type scheduler stale_loss_cnt
    syn_retrans_before_tcp_fallback
    """,
    "net.unix": """
    max_dgram_qlen
    """,
}
"""The last parts of the names of Linux, by what stands before them."""

_OF_AN_INTERFACE = {
    "net.ipv4.conf": """
    accept_local accept_redirects accept_source_route arp_accept arp_announce
    arp_evict_nocarrier arp_filter arp_ignore arp_notify bc_forwarding
    bootp_relay disable_policy disable_xfrm drop_gratuitous_arp
    drop_unicast_in_l2_multicast force_igmp_version forwarding
    igmpv2_unsolicited_report_interval igmpv3_unsolicited_report_interval
    ignore_routes_with_linkdown log_martians mc_forwarding medium_id
    promote_secondaries proxy_arp proxy_arp_pvlan route_localnet rp_filter
    secure_redirects send_redirects shared_media src_valid_mark tag
    """,
    "net.ipv4.neigh": """
    anycast_delay app_solicit base_reachable_time base_reachable_time_ms
    delay_first_probe_time gc_stale_time interval_probe_time_ms locktime
    mcast_resolicit mcast_solicit proxy_delay proxy_qlen retrans_time
    retrans_time_ms ucast_solicit unres_qlen unres_qlen_bytes
    """,
}
"""The same for the names with an interface between the two parts."""

_INTERFACES = {
    "net.ipv4.conf": ("all", "default", "lo"),
    "net.ipv4.neigh": ("lo",),
}
"""The interfaces that every end host has. The names of the others begin with the name
of their host, and a sysctl of a case is set on both ends of the traffic."""

_CANNOT_BE_SET = {
    "net.core": "rmem_default rmem_max wmem_default wmem_max",
    "net.ipv4": """
    tcp_allowed_congestion_control tcp_available_congestion_control tcp_ehash_entries
    udp_hash_entries
    """,
    "net.ipv4.conf.all": "mc_forwarding",
    "net.ipv4.conf.default": "mc_forwarding",
    "net.ipv4.conf.lo": "mc_forwarding",
    "net.mptcp": "available_path_managers available_schedulers",
}

READ_ONLY = frozenset(
    f"{head}.{last}" for head, part in _CANNOT_BE_SET.items() for last in part.split()
)


_TEXT = frozenset(
    (
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_congestion_control",
        "net.ipv4.tcp_fastopen_key",
        "net.mptcp.path_manager",
        "net.mptcp.scheduler",
    )
)
"""The sysctls that hold something else than whole numbers."""

_NUMBER = re.compile(r"[+-]?(0x[0-9a-fA-F]+|[0-9]+)")


@cache
def names() -> frozenset[str]:
    """The full names of the sysctls that an end host can set."""
    result = {
        f"{head}.{last}" for head, part in _LAST_PARTS.items() for last in part.split()
    }
    result |= {
        f"{family}.{interface}.{last}"
        for family, part in _OF_AN_INTERFACE.items()
        for interface in _INTERFACES[family]
        for last in part.split()
    }
    result |= {f"net.mptcp.{name}" for name in knobs.ranges()}
    return frozenset(result - READ_ONLY)


def can_be_set(name: str) -> bool:
    return name in names()


def trouble(name: str) -> str:
    """The reason why an end host cannot set this sysctl."""
    if name in READ_ONLY:
        return "an end host can only read this sysctl; remove it"
    best = suggestion(name, sorted(names()))
    listed = "`client find /proc/sys/net -type f` in `mpbench shell` lists what it has"
    hint = f"the nearest name is '{best}'" if best else listed
    return f"the guest's kernel has no such sysctl; {hint}"


def value_trouble(name: str, value: str | int) -> str:
    """Reason why a sysctl that exists cannot have this value; empty if nothing is
    known.

    The kernel may still refuse the value: most ranges are not known here.
    """
    words = str(value).split()
    if name in _TEXT:
        return ""
    if not words or not all(map(_NUMBER.fullmatch, words)):
        return f"'{shortened(value)}' is not a whole number"
    span = knobs.ranges().get(name.removeprefix("net.mptcp."))
    if span and not (len(words) == 1 and span.low <= int(words[0], 0) <= span.high):
        return f"{shortened(value)} is out of range; {span.low} to {span.high} works"
    return ""
