"""Which Debian packages the root image has, and what of them.

Whatever is here enters the image's key.
"""

import re

RELEASE = "bookworm"
SUITES = (RELEASE, f"{RELEASE}-updates", f"{RELEASE}-security")
ARCHITECTURE = "amd64"

ASKED = (
    # what an experiment uses
    "apache2-utils",
    "curl",
    "iperf3",
    "iproute2",
    "mininet",
    "mptcpize",
    "nftables",
    "nginx",
    "python3",
    "tcpdump",
    # what Mininet looks for before it makes a host
    "debianutils",
    "net-tools",
    # essential packages, which no other package names
    "base-files",
    "bash",
    "coreutils",
    "dash",
    "libc-bin",
    # what a user expects at the prompt of `mpbench shell`
    "grep",
    "iputils-ping",
    "mawk",
    "ncurses-base",
    "procps",
    "sed",
)
"""The packages that are asked for; apt adds those that they depend on."""

TOOLS = ("erofs-utils",)
"""Pinned as well, and used to build the image; not in it. Their libraries are."""

LEFT_OUT = frozenset(
    {
        # configure a Debian system; the image is never configured
        "adduser",
        "debconf",
        "dpkg",
        "init-system-helpers",
        "passwd",
        "perl",
        "perl-base",
        "perl-modules-5.36",
        "libperl5.36",
        "libfile-find-rule-perl",
        "libgdbm-compat4",
        "libgdbm6",
        "libnumber-compare-perl",
        "libtext-glob-perl",
        "tar",
        "usrmerge",
        # log users in, and limit their rights
        "libaudit-common",
        "libaudit1",
        "libcap-ng0",
        "libcap2-bin",
        "libpam-modules",
        "libpam-modules-bin",
        "libpam0g",
        "libsemanage-common",
        "libsemanage2",
        "libsepol2",
        # belong to parts of Mininet that mpbench does not use
        "cgroup-tools",
        "inetutils-telnet",
        "iperf",
        "libcgroup2",
        "libstdc++6",
        "libwrap0",
        "python3-pkg-resources",
        "socat",
        "telnet",
    }
)
"""Dependencies of the above that nothing in a guest calls."""

PRUNED = re.compile(
    r"usr/share/(?!doc/|terminfo/|nginx/|readline/|libc-bin/)"
    r"|usr/share/doc/[^/]+/(?!copyright$)."
    r"|usr/share/readline/."
    r"|usr/lib/x86_64-linux-gnu/(gconv|perl)/"
    r"|usr/lib/(python3\.11|python3)/(idlelib|lib2to3|ensurepip|pydoc_data)/"
    r"|usr/lib/python3\.11/(test|turtledemo|tkinter|unittest)/"
    r"|usr/lib/(systemd|udev|tmpfiles\.d|sysusers\.d|mime|valgrind)/"
    r"|usr/lib/locale/"
    r"|etc/(init\.d|logrotate\.d|cron\..*|systemd|ufw|default|skel|sysctl\.d|update-motd\.d)/"
    r"|var/(?!lib/nginx|log/nginx)"
)
"""Paths of packages that are left out: manuals, translations, and what is there for the
start and the upkeep of a system. The copyright files stay."""

FOLDERS = (
    "dev",
    "etc",
    "home",
    "proc",
    "root",
    "run",
    "sys",
    "usr/local/bin",
    "var/lib/nginx",
    "var/log/nginx",
    "var/tmp",
)
"""Folders that exist even if no package has them."""

LINKS = {
    "bin": "usr/bin",
    "lib": "usr/lib",
    "lib64": "usr/lib64",
    "sbin": "usr/sbin",
    "var/run": "/run",
    "usr/bin/awk": "mawk",
    "usr/bin/which": "which.debianutils",
}
"""Links that maintainer scripts would have made. The first four come before all files:
packages name their files by either path."""

FILES = {
    "etc/passwd": (
        "root:x:0:0:root:/root:/bin/bash\n"
        "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
        "tcpdump:x:100:100::/nonexistent:/usr/sbin/nologin\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "etc/group": (
        "root:x:0:\ntty:x:5:\nwww-data:x:33:\ntcpdump:x:100:\nnogroup:x:65534:\n"
    ),
    "etc/hosts": "127.0.0.1 localhost\n",
    "etc/nsswitch.conf": (
        "passwd: files\ngroup: files\nhosts: files\n"
        "services: files\nprotocols: files\nnetworks: files\n"
    ),
    "etc/bash.bashrc": "",
    "etc/mtab": "",
}
"""Files that the installation of a system would have written."""
