"""The kernel that is guided by a profile leaves the results of the plain one."""

from pathlib import Path

import pytest

from mpbench import kernel
from mpbench.backends.virtual import VirtualBackend
from mpbench.kernel import cache
from tests.virtual.lab import MPTCP, Lab, contents, make_job

NOISY = {"path1.loss": "1 %", "path1.jitter": "1 ms", "path2.jitter": "2 ms"}


def test_it_leaves_the_same_bytes(tmp_path: Path) -> None:
    guided = kernel.find()
    plain = cache.get(guided.key)
    if not guided.guided or plain is None:
        pytest.skip("needs `mpbench kernel build --profile-guided`")
    job = make_job(tmp_path, MPTCP, parameters=NOISY)
    left = []
    for built in (plain, guided):
        backend = VirtualBackend(built=built)
        assert backend.identity()["kernel"] == plain.key
        folder = tmp_path / built.folder.name
        ended, artefacts = Lab(folder, backend).execute(job)
        assert ended.status == "finished"
        left.append(contents(artefacts))
    assert left[0] == left[1]
