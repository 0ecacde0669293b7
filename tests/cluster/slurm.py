"""A real Slurm on one machine, as an ordinary user, all in one folder.

The daemons come from Debian's packages slurmctld, slurmd, slurm-client and munge. The
facts behind the configuration are in Slurm's `slurm.conf` manual page: with
`proctrack/linuxproc` and `task/none` no part needs root.
"""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "sinfo")
READY_S = 60

CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.sock
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """The programs that this machine has not."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


class Slurm:
    """Started with `up`, ended with `down`; `environment` is for its clients."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        self.environment = {
            **os.environ,
            "PATH": path,
            "SLURM_CONF": str(folder / "slurm.conf"),
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def up(self) -> None:
        folder = self.folder
        for name, mode in (("state", 0o700), ("run", 0o755), ("spool", 0o755)):
            (folder / name).mkdir(mode=mode)
        folder.chmod(0o755)
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                folder=folder,
                controller=_free_port(),
                daemon=_free_port(),
            )
        )
        self._start(
            "munged", "--foreground", "--force", f"--key-file={key}",
            f"--socket={folder}/run/munge.sock", f"--pid-file={folder}/run/munged.pid",
            f"--log-file={folder}/munged.log", f"--seed-file={folder}/state/munge.seed",
        )  # fmt: skip
        self._wait(lambda: (folder / "run/munge.sock").exists())
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D")
        self._wait(lambda: "idle" in self._said("sinfo", "-h", "-o", "%T"))

    def down(self) -> None:
        self._said("scancel", "--user", getpass.getuser())
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def jobs(self) -> str:
        return self._said("squeue", "-h")

    def _start(self, *words: str) -> None:
        with (self.folder / f"{words[0]}.out").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    words, stdout=log, stderr=log, env=self.environment, cwd=self.folder
                )
            )

    def _said(self, *words: str) -> str:
        done = subprocess.run(
            words, capture_output=True, text=True, env=self.environment, timeout=60
        )
        return done.stdout

    def _wait(self, there: object) -> None:
        assert callable(there)
        end_s = time.monotonic() + READY_S
        while not there():
            logs = {
                path.name: path.read_text(errors="replace")[-500:]
                for path in self.folder.glob("*.[lo][ou][gt]")
            }
            assert time.monotonic() < end_s, logs
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
