"""A git repository with a small Linux, made by a test."""

import subprocess
from pathlib import Path

MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 9\nEXTRAVERSION =\n"


class SmallLinux:
    """A repository in a folder. Nothing of the user's configuration counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={
                "PATH": "/usr/bin:/bin",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_SYSTEM": "/dev/null",
                "GIT_COMMITTER_NAME": "test",
                "GIT_COMMITTER_EMAIL": "test@example.org",
                "GIT_AUTHOR_NAME": "test",
                "GIT_AUTHOR_EMAIL": "test@example.org",
                "HOME": str(self.folder),
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"git {words[0]}: {done.stderr}{done.stdout}"
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, subject: str, **files: str) -> str:
        """Commit files; `a__b` is the file a/b.c. Returns the hash."""
        for name, text in files.items():
            self.write(name.replace("__", "/") + ".c", text)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")


def small_linux(folder: Path) -> SmallLinux:
    """One commit with Linux 7.3.9, tagged v7.3.9."""
    made = SmallLinux(folder)
    made.write("Makefile", MAKEFILE)
    made.write("drivers/gpu/Kconfig", "config BIG\n")
    made.commit("Linux 7.3.9", net__mptcp__pm="one\n", drivers__gpu__big="big\n")
    made.git("tag", "v7.3.9")
    return made
