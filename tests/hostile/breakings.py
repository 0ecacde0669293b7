"""The protections against hostile code, each with a change that breaks it.

`break_barriers` applies one change at a time and runs the tests that have to notice.
"""

from dataclasses import dataclass

LAUNCHER, NAMESPACES, LANDLOCK, FILTER = (
    f"kernel/launcher/{name}.c"
    for name in ("launcher", "namespaces", "landlock", "filter")
)
UNPACK, PICKLES = "mpbench/cluster/unpack.py", "mpbench/cluster/pickles.py"
MESSAGES = "mpbench/cluster/messages.py"
MANIFEST = "mpbench/store/manifest.py"
SINGLE = "tests/hostile/test_single_barriers.py"
CALLS = "tests/hostile/test_system_calls.py"
CONFINED = "tests/virtual/test_confinement.py"
LAUNCHING = "tests/kernel/test_launcher.py"
UNPACKING = "tests/cluster/test_unpack.py"
STRANGERS = "tests/cluster/test_strangers.py"
FOLDERS = "tests/hostile/test_results_folders.py"


@dataclass(frozen=True)
class Breaking:
    """A protection that is taken away.

    name : the protection
    file : of its source
    old, new : text that stands once in the file, and the text in its place
    tests : the words of pytest that select the tests that have to notice
    unseen : why nobody can tell from outside; "" if somebody can
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    unseen: str = ""


def _named(file: str, words: str) -> tuple[str, ...]:
    return (file, "-k", words)


BREAKINGS = (
    Breaking(
        "the launcher ends with its parent",
        LAUNCHER,
        'check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl", NULL);\n\tif ((uint64_t)',
        "if ((uint64_t)",
        _named(CONFINED, "survives_the_parent"),
    ),
    Breaking(
        "a launcher whose parent has gone starts nothing",
        LAUNCHER,
        "if ((uint64_t)getppid() != parent)",
        "if (parent == 0)",
        _named(CONFINED, "parent_has_gone"),
    ),
    Breaking(
        "no core dumps",
        LAUNCHER,
        'check(setrlimit(RLIMIT_CORE, &none), "core dumps", NULL);',
        "(void)none;",
        _named(SINGLE, "limits_are"),
    ),
    Breaking(
        "bound on the size of a file",
        LAUNCHER,
        'check(setrlimit(RLIMIT_FSIZE, &limit), "size of files", NULL);',
        "",
        _named(SINGLE, "limits_are"),
    ),
    Breaking(
        "a limit below the guest's memory is told",
        LAUNCHER,
        "if (limit.rlim_max < options->memory_bytes)",
        "if (0)",
        _named(LAUNCHING, "below_the_guest"),
    ),
    Breaking(
        "bound on CPU time",
        LAUNCHER,
        'lower(RLIMIT_CPU, options->cpu_s, "CPU time");',
        "",
        _named(SINGLE, "limits_are"),
    ),
    Breaking(
        "bound on the address space",
        LAUNCHER,
        'lower(RLIMIT_AS, options->address_bytes, "address space");',
        "",
        _named(SINGLE, "limits_are"),
    ),
    Breaking(
        "no new privileges",
        LAUNCHER,
        'check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges", NULL);',
        "",
        _named(SINGLE, "capability"),
    ),
    Breaking(
        "empty bounding set of capabilities",
        LAUNCHER,
        "for (i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)\n\t\tcontinue;",
        "(void)i;",
        _named(SINGLE, "capability"),
    ),
    Breaking(
        "capabilities are dropped",
        LAUNCHER,
        'check(syscall(SYS_capset, &header, none), "capset", NULL);',
        "(void)header; (void)none;",
        _named(SINGLE, "capabilities_end"),
    ),
    Breaking(
        "a session of its own",
        LAUNCHER,
        'check(setsid(), "setsid", NULL);',
        "",
        _named(SINGLE, "session"),
    ),
    Breaking(
        "inherited descriptors are closed",
        LAUNCHER,
        "syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);",
        "",
        _named(SINGLE, "descriptor"),
    ),
    Breaking(
        "filter of system calls",
        LAUNCHER,
        "\tfilter_calls(options->builds);\n\texecv(",
        "\texecv(",
        _named(CALLS, "no_sockets"),
    ),
    Breaking(
        "Landlock",
        LAUNCHER,
        "\tif (options->landlock)\n\t\trestrict_files(options, run, memory);",
        "",
        _named(SINGLE, "landlock_alone"),
    ),
    Breaking(
        "a root of its own",
        LAUNCHER,
        "\tif (options->namespaces)\n\t\tbuild_root(options, run, image);",
        "",
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "the memory folder is locked",
        LAUNCHER,
        'check(flock(fd, LOCK_EX), "lock", path);',
        "",
        _named(LAUNCHING, "memory_folder_of_a_killed"),
    ),
    *(
        Breaking(
            f"a namespace of its own: {old.strip(' |')}",
            NAMESPACES,
            old,
            "",
            _named(SINGLE, "each_namespace"),
        )
        for old in (
            "CLONE_NEWPID | ",
            "CLONE_NEWNET | ",
            "CLONE_NEWIPC | ",
            " | CLONE_NEWUTS",
        )
    ),
    Breaking(
        "the host's root is left",
        NAMESPACES,
        'check(umount2(HOST, MNT_DETACH), "umount", HOST);\n'
        '\tcheck(rmdir(HOST), "rmdir", HOST);',
        "",
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "what is shown is read-only",
        NAMESPACES,
        'set_attributes("/", ATTRIBUTE_RDONLY | safe, 0);',
        'set_attributes("/", safe, 0);',
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "no devices and no setuid programs in the root",
        NAMESPACES,
        'set_attributes("/", ATTRIBUTE_RDONLY | safe, 0);',
        'set_attributes("/", ATTRIBUTE_RDONLY, 0);',
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "no devices and no setuid programs in the run's folder",
        NAMESPACES,
        "set_attributes(run, safe, ATTRIBUTE_RDONLY);",
        "set_attributes(run, 0, ATTRIBUTE_RDONLY | safe);",
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "no devices and no setuid programs in the memory",
        NAMESPACES,
        "const unsigned long flags = MS_NOSUID | MS_NODEV;",
        "const unsigned long flags = 0;",
        _named(SINGLE, "root_holds"),
    ),
    Breaking(
        "bound on the memory's file system",
        NAMESPACES,
        '"mode=700,size=%llu,huge=within_size",\n\t\t (unsigned long long)bytes);',
        '"mode=700,size=%llu,huge=within_size",\n'
        "\t\t (unsigned long long)bytes * 99999);",
        _named(CONFINED, "memory_has_a_bound"),
    ),
    Breaking(
        "Landlock's rules on TCP",
        LANDLOCK,
        ".net = version >= 4 ? 3 : 0,",
        ".net = 0,",
        _named(SINGLE, "alone_refuses_tcp"),
    ),
    Breaking(
        "Landlock's scopes",
        LANDLOCK,
        ".scoped = version >= 6 ? 3 : 0,",
        ".scoped = 0,",
        _named(SINGLE, "signals_and_abstract"),
    ),
    Breaking(
        "Landlock's rules on links",
        LANDLOCK,
        ".files = (1ULL << file_rights) - 1,",
        ".files = ((1ULL << file_rights) - 1) & ~(1ULL << 12),",
        _named(SINGLE, "links_devices"),
    ),
    Breaking(
        "Landlock's rules on pipes and sockets",
        LANDLOCK,
        ".files = (1ULL << file_rights) - 1,",
        ".files = ((1ULL << file_rights) - 1) & ~(3ULL << 9),",
        _named(SINGLE, "links_devices"),
    ),
    Breaking(
        "Landlock's rule on the length of files",
        LANDLOCK,
        ".files = (1ULL << file_rights) - 1,",
        ".files = ((1ULL << file_rights) - 1) & ~TRUNCATE,",
        _named(SINGLE, "opened_or_cut"),
    ),
    Breaking(
        "Landlock's rules on reading",
        LANDLOCK,
        ".files = (1ULL << file_rights) - 1,",
        ".files = ((1ULL << file_rights) - 1) & ~(READ_FILE | READ_DIR),",
        _named(SINGLE, "opened_or_cut"),
    ),
    Breaking(
        "calls above the list",
        FILTER,
        "emit(BPF_JMP | BPF_JGE | BPF_K, NUMBERS, 0, 1);\n"
        "\tanswer(SECCOMP_RET_ERRNO | ENOSYS);",
        "emit(BPF_JMP | BPF_JGE | BPF_K, NUMBERS, 0, 1);\n\tallow();",
        _named(SINGLE, "above_the_list"),
    ),
    Breaking(
        "calls of 32-bit programs",
        FILTER,
        "emit(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);\n"
        "\tanswer(SECCOMP_RET_ERRNO | ENOSYS);",
        "",
        _named(CALLS, "32_bit"),
    ),
    Breaking(
        "new calls are unknown",
        FILTER,
        "memset(verdicts + FIRST_NEW, UNKNOWN, NUMBERS - FIRST_NEW);",
        "memset(verdicts + FIRST_NEW, ALLOWED, NUMBERS - FIRST_NEW);",
        _named(CALLS, "newest or modes or does_not_list"),
    ),
    Breaking(
        "files opened for reading are not cut",
        FILTER,
        "emit(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_RDONLY, 0, 1);",
        "emit(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 0, 1);",
        _named(CALLS, "keep_their_length"),
    ),
    Breaking(
        "pairs of sockets are streams",
        FILTER,
        "emit(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 1, 0);\n\trefuse();",
        "",
        _named(CALLS, "no_sockets"),
    ),
    Breaking(
        "signals of descriptors go to one process",
        FILTER,
        "emit(BPF_JMP | BPF_JEQ | BPF_K, F_SETOWN_EX, 0, 1);\n\trefuse();",
        "",
        _named(CALLS, "left_alone"),
    ),
    Breaking(
        "descriptors send no signals to groups",
        FILTER,
        "load_argument(2);\n\temit(BPF_JMP | BPF_JGE | BPF_K, 1U << 31, 0, 1);",
        "load_argument(2);\n\temit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1);",
        _named(CALLS, "left_alone"),
    ),
    Breaking(
        "requests to terminals",
        FILTER,
        "\t\tallow();\n\t}\n\trefuse();\n}",
        "\t\tallow();\n\t}\n\tallow();\n}",
        _named(CALLS, "typed_into"),
    ),
    Breaking(
        "no namespaces of a guest's own",
        FILTER,
        "emit(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);",
        "emit(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 1);",
        _named(CALLS, "no_namespaces"),
    ),
    Breaking(
        "signals to one process at a time",
        FILTER,
        "load_argument(0);\n\t\temit(BPF_JMP | BPF_JGE | BPF_K, 1U << 31, 0, 1);",
        "load_argument(0);\n\t\temit(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 1);",
        _named(CALLS, "left_alone"),
    ),
    Breaking(
        "limits of its own process alone",
        FILTER,
        "emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);\n\t\trefuse();\n\t\tallow();\n"
        "\t\tbreak;\n\tcase CHECK_SOCKETPAIR",
        "allow();\n\t\tbreak;\n\tcase CHECK_SOCKETPAIR",
        _named(CALLS, "left_alone"),
    ),
    Breaking(
        "one call of the list: chmod",
        FILTER,
        "SYS_access, SYS_creat,",
        "SYS_access, SYS_chmod, SYS_creat,",
        _named(CALLS, "modes_owners"),
    ),
    Breaking(
        "bound on unpacked bytes",
        UNPACK,
        "if written > bound:",
        "if False:",
        _named(UNPACKING, "bound_on or made_large"),
    ),
    Breaking(
        "bound on a name in an archive",
        UNPACK,
        "if name or entry.size > MOST_NAME_BYTES:",
        "if name:",
        _named(UNPACKING, "made_large"),
    ),
    Breaking(
        "an archive has files and folders alone",
        UNPACK,
        "if entry.type not in (tarfile.REGTYPE, tarfile.DIRTYPE):",
        "if False:",
        _named(UNPACKING, "strange_archives"),
    ),
    Breaking(
        "an archive has the run's files alone",
        UNPACK,
        'if parts[:1] != (run_id,) or ".." in parts:',
        "if False:",
        _named(UNPACKING, "strange_archives"),
    ),
    Breaking(
        "names in an archive are lines of text",
        UNPACK,
        "if not name.isprintable():",
        "if False:",
        _named(UNPACKING, "strange_archives"),
    ),
    Breaking(
        "a pickle imports no name",
        PICKLES,
        "if arguments not in _allowed:",
        "if False:",
        _named(STRANGERS, "only_named"),
    ),
    Breaking(
        "strange names among a guest's files",
        MANIFEST,
        "or not path.relative_to(folder).as_posix().isprintable()",
        "",
        _named(FOLDERS, "such_a_name"),
    ),
    Breaking(
        "strange names in a stored run",
        MANIFEST,
        "        if not name.isprintable():\n            found.append",
        "        if False:\n            found.append",
        _named(FOLDERS, "no_line_of_text and stored"),
    ),
)
