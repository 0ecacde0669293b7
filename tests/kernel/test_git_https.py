"""Commits of a repository at an https address."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.kernel import git_fetch
from tests.kernel.https_server import make_certificates, served
from tests.kernel.small_linux import SmallLinux, small_linux


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallLinux:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return small_linux(tmp_path / "root/linux")


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The certificates of a server, whose authority the user names to git."""
    folder = tmp_path / "certificates"
    folder.mkdir()
    monkeypatch.setenv("GIT_SSL_CAINFO", str(make_certificates(folder)))
    return folder


@pytest.fixture
def address(linux: SmallLinux, authority: Path) -> Iterator[str]:
    with served(linux.folder.parent, authority) as port:
        yield f"https://localhost:{port}"


def test_a_branch_a_tag_with_text_and_a_hash(linux: SmallLinux, address: str) -> None:
    linux.git("tag", "-a", "v1", "-m", "text")
    commit = linux.git("rev-parse", "HEAD")
    for name in ("main", "v1", "v7.3.9", "HEAD", commit):
        with git_fetch.fetched(f"{address}/linux", name) as (repository, found):
            assert repository.commit(found) == commit
            assert repository.linux(commit).version == "7.3.9"


def test_names_that_an_address_has_not(linux: SmallLinux, address: str) -> None:
    short = linux.git("rev-parse", "--short=10", "HEAD")
    hint = r"; of an address, a branch, a tag or a hash of 40 digits works"
    for name in (short, "main~1"):
        with (
            pytest.raises(
                UserError, match=f"commit '{name}' cannot be f.*{hint}|inval"
            ),
            git_fetch.fetched(f"{address}/linux", name),
        ):
            pass


def test_an_unknown_authority_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_SSL_CAINFO")
    monkeypatch.setenv("GIT_SSL_NO_VERIFY", "1")
    with (
        pytest.raises(
            UserError, match="; name a file with its authority in GIT_SSL_CA"
        ),
        git_fetch.fetched(f"{address}/linux", "main"),
    ):
        pass


def test_a_redirect_stays_with_https(
    linux: SmallLinux, address: str, authority: Path
) -> None:
    here = address.replace(":", "!").replace("/", "|")
    with git_fetch.fetched(f"{address}/to:{here}:/linux", "main") as (repository, name):
        assert repository.commit(name) == linux.git("rev-parse", "HEAD")
    with served(linux.folder.parent, None) as port:
        plain = f"http!||localhost!{port}"
        for target in (plain, f"file!||{linux.folder.parent}"):
            with (
                pytest.raises(UserError, match=r"cannot be fetched: fatal: .*rotocol"),
                git_fetch.fetched(f"{address}/to:{target}:/linux", "main"),
            ):
                pass


def test_nobody_is_asked_for_a_password(address: str) -> None:
    with (
        pytest.raises(UserError, match="; clone it, and name the folder"),
        git_fetch.fetched(f"{address}/locked/linux", "main"),
    ):
        pass


def test_a_silent_server_is_given_up(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=1")
    monkeypatch.setattr(git_fetch, "SLOW", slow)
    with (
        pytest.raises(UserError, match=r"cannot be fetched: .*too slow"),
        git_fetch.fetched(f"{address}/silent/linux", "main"),
    ):
        pass


def test_a_repository_beyond_the_bounds(
    linux: SmallLinux, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux.write("big", "".join(f"{number * 7919} " for number in range(60_000)))
    linux.commit("big")
    monkeypatch.setattr(git_fetch, "MOST_PACK_BYTES", 4096)
    with (
        pytest.raises(UserError, match=r"it has more than .*; clone it, and"),
        git_fetch.fetched(f"{address}/linux", "main"),
    ):
        pass


def test_hooks_and_submodules_of_the_other_side(
    linux: SmallLinux, address: str, tmp_path: Path
) -> None:
    linux.write(".gitmodules", f'[submodule "a"]\npath = a\nurl = file://{tmp_path}\n')
    linux.commit("a submodule")
    commit = linux.git("rev-parse", "HEAD")
    linux.git("update-index", "--add", "--cacheinfo", f"160000,{commit},a")
    linux.git("commit", "-q", "-m", "its commit")
    with git_fetch.fetched(f"{address}/linux", "main") as (repository, name):
        assert repository.linux(repository.commit(name)).version == "7.3.9"


def test_a_range_is_fetched_as_far_as_it_goes(
    linux: SmallLinux, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_fetch, "DEPTHS", (2, 8))
    older = linux.git("rev-parse", "HEAD")
    linux.git("tag", "-a", "old", "-m", "text")
    good = linux.commit("good", net__a="0\n")
    hashes = [linux.commit(f"{n}", net__a=f"{n}\n") for n in range(1, 6)]
    place = f"{address}/linux"
    with git_fetch.fetched_range(place, good, "main") as (repository, start, found):
        assert (start, [commit for commit, _ in found]) == (good, hashes)
        assert repository.linux(hashes[2]).version == "7.3.9"
    with git_fetch.fetched(place, hashes[1]) as (repository, name):
        assert name == hashes[1]
    with git_fetch.fetched_range(place, "old", "main") as (_, start, found):
        assert (start, [c for c, _ in found]) == (older, [good, *hashes])
    with (
        pytest.raises(UserError, match="is not before"),
        git_fetch.fetched_range(place, "main", "old"),
    ):
        pass
