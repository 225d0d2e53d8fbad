"""Strangers' code in the sandbox: each attempt is made where nothing stops it, and refused where something should."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from errno import EACCES, ECONNREFUSED, ENOENT, ENOSPC, EPERM, EROFS, ESRCH
from pathlib import Path
from typing import Any

import pytest

from referee.bots import confine, sandbox
from referee.errors import SandboxError
from tests.toolchain import need
from tests.wards import USERS, as_user, ward

MB = 1 << 20


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bwrap", sandbox.INSTALL)


SECRETS = ("arena/arena.db", "arena/bots/0123456789abcdef/bot/main.py", "home/.ssh/id", "source/key")
ABSTRACT = f"referee-test-{os.getpid()}"
WRITTEN = f"written-{os.getpid()}"
ON_THE_HOST = ("{place}", "{place}/arena", "{place}/socket", "/dev/shm")
NOWHERE = ("/", "/usr", "/dev", "/proc", "/etc")
TO_WRITE = ("bot.toml", "/proc/sys/kernel/core_pattern", "/proc/1/oom_score_adj")


@dataclass(slots=True)
class Tried:
    """What came of every attempt, by what was attempted, and the files that were there afterwards."""

    reports: dict[str, dict[str, Any]]
    there: set[str]


@pytest.fixture(scope="module", params=USERS)
def tried(request: pytest.FixtureRequest) -> dict[str, Tried]:
    """All attempts of a user's bot at the levels ``none`` and ``bubblewrap``: made by one process each, for speed."""
    need("bwrap", sandbox.INSTALL)
    user = str(request.param)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
        subprocess.Popen([*as_user(user), "-c", "input()"], stdin=subprocess.PIPE) as victim,
    ):
        abstract.bind("\0" + ABSTRACT)
        abstract.listen()
        ways = [
            "read {place}/arena/bots",
            *(f"read {{place}}/{secret}" for secret in SECRETS),
            f"connect 127.0.0.1 {server.getsockname()[1]}",
            f"abstract {ABSTRACT}",
            f"signals {victim.pid}",
            f"trace {victim.pid}",
            "namespace",
            *(f"write {folder}/{WRITTEN}" for folder in (*ON_THE_HOST, *NOWHERE, ".")),
            *(f"open {path}" for path in TO_WRITE),
            "look",
            "fill /tmp",
            "fill /dev/shm",
        ]
        try:
            return {level: attempt(user, level, ways) for level in ("bubblewrap", "none")}
        finally:
            victim.communicate(b"\n")


def attempt(user: str, level: str, ways: list[str]) -> Tried:
    if level == "none":  # where nothing would be refused, the machine's own folders are left alone
        ways = [
            way for way in ways if not way.startswith("fill") and way not in {f"write {f}/{WRITTEN}" for f in NOWHERE}
        ]
    with ward(user) as kept:
        for secret in SECRETS:
            kept.write(secret, "secret")
        kept.bot(*" + ".join(ways).format(place=kept.place).split())
        story = kept.run(level, file_size=8 * MB, files=100)
        paths = {folder: Path(folder.format(place=kept.place), WRITTEN) for folder in ON_THE_HOST}
        there = {folder for folder, path in paths.items() if path.exists()}
        for path in paths.values():
            path.unlink(missing_ok=True)
    return Tried({way.rsplit("/written", 1)[0]: report for way, report in zip(ways, story.reports, strict=True)}, there)


def outcomes(tried: dict[str, Tried], beginning: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the attempt that begins so came to, without the sandbox and in it."""
    found = [
        next(report for way, report in tried[level].reports.items() if way.startswith(beginning))
        for level in ("none", "bubblewrap")
    ]
    return found[0], found[1]


def refused(*numbers: int) -> list[dict[str, str]]:
    return [{"refused": os.strerror(number)} for number in numbers]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_bot_reads_nothing_of_the_host(tried: dict[str, Tried], secret: str) -> None:
    outside, inside = outcomes(tried, f"read {{place}}/{secret}")
    assert outside == {"done": "secret"}
    assert inside in refused(ENOENT)


def test_a_bot_sees_no_other_bots(tried: dict[str, Tried]) -> None:
    outside, inside = outcomes(tried, "read {place}/arena/bots")
    assert "0123456789abcdef" in outside["done"]
    assert len(inside["done"]) == 1  # its own folder is in one


@pytest.mark.parametrize("way", ["connect", "abstract"])
def test_a_bot_connects_to_nothing(tried: dict[str, Tried], way: str) -> None:
    outside, inside = outcomes(tried, way)
    assert "done" in outside
    assert inside in refused(ECONNREFUSED)


@pytest.mark.parametrize("way", ["signals", "trace"])
def test_other_processes_are_out_of_reach(tried: dict[str, Tried], way: str) -> None:
    outside, inside = outcomes(tried, way)
    assert outside == {"done": None} or outside in refused(EPERM)  # the kernel may keep a user from tracing (Yama)
    assert inside in refused(ESRCH)


def test_there_are_no_user_namespaces_in_the_sandbox(tried: dict[str, Tried]) -> None:
    outside, inside = outcomes(tried, "namespace")
    assert outside == {"done": None}
    assert inside in refused(ENOSPC)


@pytest.mark.parametrize("folder", ON_THE_HOST)
def test_a_bot_writes_nothing_on_the_host(tried: dict[str, Tried], folder: str) -> None:
    assert folder in tried["none"].there
    assert folder not in tried["bubblewrap"].there


@pytest.mark.parametrize("folder", [*NOWHERE, "."])
def test_a_bot_writes_nowhere_but_to_tmp(tried: dict[str, Tried], folder: str) -> None:
    assert tried["bubblewrap"].reports[f"write {folder}"] in refused(EROFS, EACCES, ENOENT)


@pytest.mark.parametrize("path", TO_WRITE)
def test_a_bot_cannot_even_open_a_file_to_write(tried: dict[str, Tried], path: str) -> None:
    assert tried["bubblewrap"].reports[f"open {path}"] in refused(EROFS, EACCES)


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_a_bot_cannot_fill_memory_with_files(tried: dict[str, Tried], folder: str) -> None:
    report = dict(tried["bubblewrap"].reports[f"fill {folder}"])
    assert report.pop("filled") in range(7 * MB, 8 * MB + 1)
    assert report in refused(ENOSPC)


def test_what_a_bot_sees(tried: dict[str, Tried]) -> None:
    outside, seen = outcomes(tried, "look")
    assert outside["processes"] > seen["processes"] == confine.overhead("bubblewrap")
    assert seen["interfaces"] == ["lo"]
    assert int(seen["capabilities"], 16) == 0
    assert {"boot", "sys"} <= set(outside["root"])
    assert not {"boot", "sys"} & set(seen["root"])
    assert seen["environment"]["HOME"] == "/tmp"
    assert seen["open_files"] == 100
    assert seen["descriptors"] == [0, 1, 2, 3]  # the last is the look itself


def test_an_installation_on_the_path_is_shown_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bin", "lib"):
        (tmp_path / "opt" / name).mkdir(parents=True)
    (tmp_path / "opt/secret").write_text("secret")
    (tmp_path / "opt/lib/greeting").write_text("hello")
    tool = tmp_path / "opt/bin/tool"
    tool.write_text('#!/bin/sh\ncat "${0%/bin/tool}/lib/greeting" "${0%/bin/tool}/secret" >&2\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    with ward("root" if os.getuid() == 0 else "ordinary") as kept:
        kept.bot(run=["tool"])
        story = kept.run("bubblewrap")
    assert story.stderr.startswith("hello")
    assert "secret: No such file" in story.stderr


def test_auto_is_the_best_that_works() -> None:
    working = [finding.name for finding in sandbox.diagnose() if finding.works]
    assert working[:3] == ["bubblewrap", "limits", "none"]
    assert [sandbox.choose(setting) for setting in sandbox.SETTINGS] == ["bubblewrap", "bubblewrap", "limits", "none"]


@pytest.fixture
def few_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH with what ``limits`` needs and no bubblewrap."""
    for program in ("setpriv", "prlimit"):
        (tmp_path / program).symlink_to(Path("/usr/bin") / program)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    sandbox.probe.cache_clear()
    yield tmp_path
    sandbox.probe.cache_clear()


@pytest.mark.parametrize(
    ("bwrap", "says"),
    [
        ("", "bwrap is not installed"),
        ("echo bubblewrap 0.6.1", "bubblewrap 0.6 is too old"),
        (
            "[ $1 = --version ] && echo bubblewrap 0.8.0 && exit\necho 'bwrap: no permission' >&2\nexit 1",
            "bwrap: no permission",
        ),
        (
            '[ $1 = --version ] && echo bubblewrap 0.8.0 && exit\nwhile [ $1 != -- ]; do shift; done; shift; exec "$@"',
            "it sees a file",
        ),
    ],
)
def test_what_does_not_work_is_told_with_a_remedy(few_programs: Path, bwrap: str, says: str) -> None:
    if bwrap:
        (few_programs / "bwrap").write_text(f"#!/bin/sh\n{bwrap}\n")
        (few_programs / "bwrap").chmod(0o755)
    assert sandbox.choose("auto") == "limits"
    with pytest.raises(SandboxError, match=says) as raised:
        sandbox.choose("require")
    assert raised.value.hint


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(SandboxError, match="'docker'"):
        sandbox.choose("docker")
