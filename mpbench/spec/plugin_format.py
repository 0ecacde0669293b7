"""The section `plugins:` of an experiment file: its keys, and the bounds of files."""

import re

KEY = "plugins"
STORED = "stored"
"""Key of plug-ins that stand in the file itself, as results hold them."""
SUFFIXES = {
    "topologies": ".py",
    "tools": ".py",
    "metrics": ".py",
    "controllers": ".c",
    "schedulers": ".c",
}
"""The kinds of plug-ins, and the suffix of their files."""
PROGRAMS = "programs"
"""The kind that is no code for mpbench: programs that guests execute, by name."""
MOST_PROGRAM_BYTES = 64 << 20
MOST_BYTES = 1 << 16
MOST_KEYS = 50
NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
TEXT = "text"
"""The unit of a key whose values are texts."""
FILE = "file"
"""The unit of a key whose values are files, by their SHA-256 once they are read."""
MOST_KEY_FILE_BYTES = 16 << 20
PROGRAM = "program"
"""The unit of a key whose values are names of programs of one's own."""
