"""Confines a guest's host process, starts it, and waits for it: standard library only.

Run as ``python -I -S -c PROGRAM SOURCE OPTION... -- COMMAND...`` by the virtual lab;
`confinement.command` writes that line. A guest that controls its own kernel controls
the host process that this kernel is. So the host process gets no more than a guest
needs, by two barriers that do not depend on one another:

namespaces
    The process sees a root of its own. It holds the folders that a guest reads
    (mounted read-only), the run's folder (writable) and a memory file system of
    bounded size for the guest's memory, and nothing else: no device, no `/proc` but
    `cpuinfo`, no socket. There is no network, and no process but the guest's own can
    be named, so none can be signalled or traced.
landlock
    The kernel refuses to open a file outside these folders, and to write outside the
    run's. In the run's folder only files and folders can be made, no links and no
    devices. By version of Landlock, also: no TCP, no ioctl on devices, no signal to a
    process outside, no abstract Unix socket.

Always: no capabilities, no new privileges, a bound on the size of a file, no core
dump. The command dies with this launcher, and the launcher with its parent.

Options are words ``name=value``:

``parent``    process id of the caller
``cpu``       the CPU to pin to
``file``      bound on the size of a file, bytes
``memory``    bound on the file system of the guest's memory, bytes
``memory-folder``  where the guest's memory goes if there is no namespace
``barrier``   a barrier to set up, any number of times
``read``      a file or folder that a guest may read, any number of times
``list``      a folder whose names a guest may list, any number of times

The working directory is the run's folder. Ends as the command ends: with its exit
status, or by the same signal. SIGTERM kills the command.
"""

import ctypes
import os
import resource
import sys

CANNOT_CONFINE = 125
CANNOT_EXECUTE = 127
PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from mpbench.backends.launcher import main; main(sys.argv[2:])"
)

SIGKILL, SIGPIPE, SIGTERM, SIGCHLD = 9, 13, 15, 17
SIG_DFL = 0
SIG_BLOCK, SIG_UNBLOCK = 0, 1
"""Numbers, because the import of `signal` takes as long as the rest of this program."""

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_CAPBSET_DROP = 24
ADDR_NO_RANDOMIZE = 0x0040000

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
AT_FDCWD = -100
AT_RECURSIVE = 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4

SYS_PIVOT_ROOT = 155
SYS_CAPSET = 126
SYS_MOUNT_SETATTR = 442
SYS_LANDLOCK_CREATE_RULESET = 444
SYS_LANDLOCK_ADD_RULE = 445
SYS_LANDLOCK_RESTRICT_SELF = 446
"""x86-64's, the one architecture of the guest kernel."""
CAPABILITY_VERSION_3 = 0x20080522

LANDLOCK_VERSION = 1
"""Flag: tell the version instead of making rules."""
LANDLOCK_RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_DIR, MAKE_REG = 1 << 7, 1 << 8
REFER, TRUNCATE = 1 << 13, 1 << 14
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
"""Those of the rights here that a rule on a file may have."""
READ = EXECUTE | READ_FILE | READ_DIR
WRITE = (
    READ_FILE
    | READ_DIR
    | WRITE_FILE
    | TRUNCATE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_REG
    | REFER
)
HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files, by the version of Landlock that brought the last of them."""
HANDLED_NET = {4: 0b11}
SCOPED = {6: 0b11}

HOST = "/.host"
MEMORY = "/memory"
STAGE = "/dev"
"""Where the new root is built; any folder that every host has would do."""
POINTS = ("/proc", "/sys", "/dev", "/run", "/root", "/tmp")
"""Folders that a guest mounts on, or that its programs expect."""
CPUINFO = "/proc/cpuinfo"

_libc = ctypes.CDLL(None, use_errno=True)


class Options:
    """The words before ``--``."""

    def __init__(self, words: list[str]) -> None:
        self.parent = self.file = self.memory = 0
        self.cpu: int | None = None
        self.memory_folder = ""
        self.barriers: list[str] = []
        self.reads: list[str] = []
        self.lists: list[str] = []
        for word in words:
            name, _, value = word.partition("=")
            if name in ("parent", "file", "memory", "cpu"):
                setattr(self, name, int(value))
            elif name == "memory-folder":
                self.memory_folder = value
            elif name == "barrier":
                self.barriers.append(value)
            elif name == "read":
                self.reads.append(value)
            elif name == "list":
                self.lists.append(value)
            else:
                raise ValueError(f"no option of the launcher: {word}")


def main(words: list[str]) -> None:
    """Confine and run the command; ends the process as the command ended."""
    split = words.index("--")
    options, command = Options(words[:split]), words[split + 1 :]
    try:
        die_with_parent(options.parent)
        status = launch(options, command)
    except OSError as error:
        say(f"cannot be confined: {error}")
        os._exit(CANNOT_CONFINE)
    end_like(status)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends.

    The parent may have ended before that took effect: this process then has another.
    """
    _check(_libc.prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl")
    if os.getppid() != parent:
        os._exit(CANNOT_CONFINE)


def launch(options: Options, command: list[str]) -> int:
    """The wait status of the command, run in a confined child."""
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (options.file, options.file))
    namespaces = "namespaces" in options.barriers
    if namespaces:
        enter_namespaces()
    awaited = _signals(SIGTERM, SIGCHLD)
    _libc.sigprocmask(SIG_BLOCK, awaited, None)
    memory = "" if namespaces else _memory_folder(options.memory_folder)
    alive, hold = os.pipe()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hold)
        become(options, command, alive, tell, awaited, memory)
    os.close(alive)
    os.close(tell)
    try:
        status = wait(child, awaited)
    finally:
        if memory:
            os.rmdir(memory)
    return int(os.read(told, 16) or status)


def wait(child: int, awaited: "ctypes.Array[ctypes.c_char]") -> int:
    """Wait for the child, and kill it at SIGTERM."""
    number = ctypes.c_int()
    while True:
        _libc.sigwait(awaited, ctypes.byref(number))
        if number.value == SIGTERM:
            os.kill(child, SIGKILL)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status


def end_like(status: int) -> None:
    """End this process as the one that ended with that wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        unblocked = _signals(number)
        _libc.signal(number, SIG_DFL)
        _libc.sigprocmask(SIG_UNBLOCK, unblocked, None)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def become(
    options: Options,
    command: list[str],
    alive: int,
    tell: int,
    blocked: "ctypes.Array[ctypes.c_char]",
    memory: str,
) -> None:
    """Turn into the command, confined.

    alive : a pipe that can be read once the parent has ended
    tell : a pipe for the command's wait status, if this process does not turn into it
    """
    try:
        _check(_libc.prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl")
        os.set_blocking(alive, False)
        try:
            os.read(alive, 1)
            os._exit(CANNOT_CONFINE)
        except BlockingIOError:
            pass  # the other end is open, so the parent lives
        os.close(alive)
        run = os.getcwd()
        if "namespaces" in options.barriers:
            memory = MEMORY
            build_root(options, run, os.path.realpath(command[0]))
        _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
        drop_capabilities()
        if "namespaces" in options.barriers:
            stay_first(tell)
        if "landlock" in options.barriers:
            reads = [*options.reads, command[0], CPUINFO]
            rights = {
                **dict.fromkeys(options.lists, READ_DIR),
                **dict.fromkeys(reads, READ),
                **dict.fromkeys((run, memory), WRITE),
            }
            restrict(rights)
        # Out of the session, it cannot type into the terminal that the user gave it.
        os.setsid()
        # A guest's kernel needs its addresses where they are; it would set this by
        # itself, and start itself once more.
        _libc.personality(ADDR_NO_RANDOMIZE)
        _libc.signal(SIGPIPE, SIG_DFL)
        _libc.sigprocmask(SIG_UNBLOCK, blocked, None)
        environment = {**os.environ, "TMPDIR": memory}
    except OSError as error:
        say(f"cannot be confined: {error}")
        os._exit(CANNOT_CONFINE)
    try:
        os.execve(command[0], command, environment)
    except OSError as error:
        say(f"cannot run {command[0]}: {error.strerror}")
        os._exit(CANNOT_EXECUTE)


def stay_first(tell: int) -> None:
    """Fork: the parent stays process 1 of its namespace, and the child returns.

    Process 1 ignores what would end any other process, so that a kernel that panics
    could not abort. When process 1 ends, the host's kernel ends all others.
    """
    child = os.fork()
    if child == 0:
        return
    ended = 0
    while ended != child:
        ended, status = os.waitpid(-1, 0)
    os.write(tell, str(status).encode())
    os._exit(0)


def enter_namespaces() -> None:
    """Be in namespaces of one's own, as the same user; the next child is process 1."""
    user, group = os.getuid(), os.getgid()
    flags = (
        CLONE_NEWUSER
        | CLONE_NEWNS
        | CLONE_NEWPID
        | CLONE_NEWNET
        | CLONE_NEWIPC
        | CLONE_NEWUTS
    )
    _check(_libc.unshare(flags), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def build_root(options: Options, run: str, image: str) -> None:
    """Change to a root that holds what a guest needs, and forget the host's."""
    links = {path: os.readlink(path) for path in options.reads if os.path.islink(path)}
    trees = [path for path in options.reads if path not in links]
    trees = [path for path in [*trees, image, CPUINFO] if os.path.exists(path)]
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    _mount("root", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    os.chdir(STAGE)
    os.mkdir(HOST[1:])
    _check(_libc.syscall(SYS_PIVOT_ROOT, b".", HOST[1:].encode()), "pivot_root")
    os.chdir("/")
    for path in (*POINTS, MEMORY, run):
        os.makedirs(path, exist_ok=True)
    for path, target in links.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)
    for path in trees:
        _point(HOST + path, path)
        _mount(HOST + path, path, None, MS_BIND | MS_REC)
    # Where a guest's first process finds the run's folder, and its kernel itself.
    os.mkdir("/proc/self")
    os.symlink(run, "/proc/self/cwd")
    os.symlink(image, "/proc/self/exe")
    _mount(HOST + run, run, None, MS_BIND)
    _check(_libc.umount2(HOST.encode(), MNT_DETACH), "umount")
    os.rmdir(HOST)
    safe = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV
    _set_attributes("/", MOUNT_ATTR_RDONLY | safe, 0)
    _set_attributes(run, safe, MOUNT_ATTR_RDONLY)
    size = f"mode=700,size={options.memory}"
    _mount("memory", MEMORY, "tmpfs", MS_NOSUID | MS_NODEV, size)
    os.chdir(run)


def _point(source: str, path: str) -> None:
    """Make what `source` can be mounted on."""
    if os.path.isdir(source):
        os.makedirs(path, exist_ok=True)
    elif not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


class _MountAttributes(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")
    ]


def _set_attributes(path: str, given: int, taken: int) -> None:
    wanted = _MountAttributes(given, taken, 0, 0)
    result = _libc.syscall(
        SYS_MOUNT_SETATTR,
        AT_FDCWD,
        path.encode(),
        AT_RECURSIVE,
        ctypes.byref(wanted),
        ctypes.c_size_t(ctypes.sizeof(wanted)),
    )
    _check(result, f"mount_setattr {path}")


def landlock_version() -> int:
    """The version of Landlock that this kernel has switched on; 0 without it."""
    result = _libc.syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION)
    return max(int(result), 0)


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "net", "scoped")]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def handled(version: int) -> tuple[int, int, int]:
    """What that version of Landlock can refuse: on files, on sockets, by scope."""

    def latest(table: dict[int, int]) -> int:
        known = [since for since in table if since <= version]
        return table[max(known)] if known else 0

    return latest(HANDLED), latest(HANDLED_NET), latest(SCOPED)


def restrict(rules: dict[str, int]) -> None:
    """Refuse this process all files, but for these rights below these paths."""
    version = landlock_version()
    files, net, scoped = handled(version)
    refused = _Ruleset(files, net, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _check(
        _libc.syscall(
            SYS_LANDLOCK_CREATE_RULESET,
            ctypes.byref(refused),
            ctypes.c_size_t(size),
            0,
        ),
        "landlock_create_ruleset",
    )
    for path, rights in rules.items():
        _allow(ruleset, path, rights & files)
    result = _libc.syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    _check(result, "landlock_restrict_self")
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        rule = _PathBeneath(rights, parent)
        result = _libc.syscall(
            SYS_LANDLOCK_ADD_RULE,
            ruleset,
            LANDLOCK_RULE_PATH_BENEATH,
            ctypes.byref(rule),
            0,
        )
        _check(result, f"landlock_add_rule {path}")
    finally:
        os.close(parent)


def drop_capabilities() -> None:
    """Have none of root's powers, and no way to gain one."""
    number = 0
    while _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.syscall(SYS_CAPSET, header, none), "capset")


def _memory_folder(parent: str) -> str:
    """A new folder for the file that is the guest's memory."""
    path = os.path.join(parent, f"mpbench-{os.getpid()}")
    os.mkdir(path, 0o700)
    return path


def _signals(*numbers: int) -> "ctypes.Array[ctypes.c_char]":
    mask = ctypes.create_string_buffer(128)
    for number in numbers:
        _libc.sigaddset(mask, number)
    return mask


def _mount(
    source: str, target: str, kind: str | None, flags: int, options: str = ""
) -> None:
    texts = [text.encode() if text else None for text in (source, target, kind)]
    data = options.encode() if options else None
    _check(_libc.mount(*texts, ctypes.c_ulong(flags), data), f"mount {target}")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def say(words: str) -> None:
    """A line on the guest's console, in the words of the guest's first process."""
    sys.stdout.write(f"mpbench: {words}\n")
    sys.stdout.flush()
