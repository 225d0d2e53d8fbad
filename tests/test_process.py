"""Bots that misbehave as processes: what ends them, and what is left of them."""

from __future__ import annotations

import errno
import itertools
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from referee.bots import cgroup, confine, logs, manifest, process, sandbox, tree
from referee.bots.limits import ProcessLimits
from referee.bots.shelf import Bot
from referee.errors import BotError
from tests.toolchain import need
from tests.wards import ROOT, USERS, ward

MB = 1 << 20
SOMEONE = "root" if os.getuid() == 0 else "ordinary"


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["bubblewrap", "limits", "none"])
def level(request: pytest.FixtureRequest) -> str:
    if request.param == "bubblewrap":
        need("bwrap", sandbox.INSTALL)
    return str(request.param)


@pytest.fixture(params=["bubblewrap", "limits"])
def limiting(request: pytest.FixtureRequest) -> str:
    """A level that has limits."""
    if request.param == "bubblewrap":
        need("bwrap", sandbox.INSTALL)
    return str(request.param)


@pytest.mark.parametrize(
    ("way", "exit_"), [("leave 0", "exit code 0"), ("leave 3", "exit code 3"), ("crash 11", "signal 11 (SIGSEGV)")]
)
def test_an_exit_is_told_in_words(level: str, way: str, exit_: str) -> None:
    with ward(SOMEONE, way) as kept:
        assert kept.run(level).exit == exit_


def test_a_bot_that_ignores_signals_is_killed(user: str, level: str) -> None:
    with ward(user, "deaf") as kept:
        story = kept.run(level, then="kill")
    assert story.reports == [{"deaf": True}]
    assert story.exit == "signal 9 (SIGKILL)"
    assert story.left == []


@pytest.mark.parametrize("fate", ["stay", "leave"])
@pytest.mark.parametrize("cgroups", [True, False])
def test_a_daemon_does_not_outlive_its_bot(user: str, level: str, fate: str, *, cgroups: bool) -> None:
    with ward(user, "daemon", fate) as kept:
        story = kept.run(level, then="kill" if fate == "stay" else "", cgroups=cgroups)
    assert story.left == []


@pytest.mark.parametrize("cgroups", [True, False])
def test_a_fork_bomb_is_bounded(user: str, limiting: str, *, cgroups: bool) -> None:
    with ward(user, "multiply") as kept:
        story = kept.run(limiting, then="kill refused", cgroups=cgroups, processes=20)
    if not story.exit.startswith("killed: ran "):  # by the watch, where the kernel does not count
        assert story.report["refused"]
        assert story.report["forks"] <= 20
    assert story.left == []


@pytest.mark.parametrize("cgroups", [True, False])
def test_a_bot_that_takes_all_memory_is_killed(user: str, limiting: str, *, cgroups: bool) -> None:
    with ward(user, "hog") as kept:
        story = kept.run(limiting, cgroups=cgroups, memory=64 * MB)
    assert story.exit.startswith("killed: used ")
    assert story.exit.endswith(" of 64 MB")
    assert story.reports == []
    assert story.left == []


def test_a_flood_of_output_is_cut(level: str) -> None:
    with ward(SOMEONE, "flood") as kept:
        story = kept.run(level, log=4096)
    assert all(0 < size <= 2 * 4096 for size in story.sizes)
    assert "noise noise" in story.stderr


def test_a_bot_may_close_its_output(level: str) -> None:
    with ward(SOMEONE, "mute") as kept:
        story = kept.run(level)
    assert (story.reports, story.exit) == ([{"mute": True}], "exit code 0")


@pytest.mark.parametrize(
    "spoil",
    [
        "p = os.readlink('/proc/self/fd/2'); os.unlink(p); os.mkdir(p)",
        "os.chmod(os.readlink('/proc/self/fd/2'), 0)",
        "os.chdir(os.environ['HOME'])\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')",
    ],
)
def test_what_a_bot_does_to_its_logs_ends_no_session(user: str, spoil: str) -> None:
    with ward(user) as kept:
        kept.bot(run=["python3", "-c", f"import os, time\n{spoil}\ntime.sleep(0.5)"])
        assert kept.run("limits", cgroups=False).exit == "exit code 0"
        subprocess.run(["rm", "-rf", str(kept.place / "logs")], check=True)  # too deep for Python


def test_the_watch_outlives_a_look_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, checked = itertools.count(), trio.Event()

    def snapshot() -> tree.Rows:
        if next(looks) < 2:
            raise OSError(errno.EMFILE, "Too many open files")
        return {}

    def fails(rows: tree.Rows) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    group = SimpleNamespace(counts_all=False)
    bots = {
        1: SimpleNamespace(group=group, check=fails),
        2: SimpleNamespace(group=group, check=lambda _: checked.set()),
    }
    monkeypatch.setattr(process, "_running", bots)
    monkeypatch.setattr(tree, "snapshot", snapshot)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.watch, 0)
            with trio.fail_after(60):
                await checked.wait()
            nursery.cancel_scope.cancel()

    trio.run(main)


@pytest.mark.parametrize(
    ("code", "kind"),
    [(errno.ENOENT, BotError), (errno.E2BIG, BotError), (errno.EAGAIN, OSError), (errno.EMFILE, OSError)],
)
def test_a_machine_that_cannot_start_anything_is_not_the_bots_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Exception]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    about = manifest.Manifest(name="honest", games=["six_nimmt"], run=["sh"])
    bot = Bot(about.name, about.version, "0" * 64, tmp_path, about)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(kind, match=os.strerror(code)):
        process.spawn(bot, address="unix:/s/s", token="", logs=tmp_path, level="none", limits=ProcessLimits())
    assert list((tmp_path / bot.digest[:16]).iterdir()) == []


def test_a_bot_gets_no_more_than_it_asks_for(limiting: str) -> None:
    with ward(SOMEONE) as kept:
        script = "import resource, sys; sys.exit(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
        kept.bot(run=["python3", "-c", script])
        toml = kept.place / "source/bot.toml"
        kept.write("source/bot.toml", f"{toml.read_text()}[limits]\nfiles = 50\n")
        assert kept.run(limiting, files=60).exit == "exit code 50"


def test_processor_time_is_that_of_the_whole_tree(user: str, level: str) -> None:
    with ward(user, "spin", "0.4") as kept:
        story = kept.run(level, then="kill")
    assert 0.4 <= story.cpu < 4


@pytest.mark.parametrize(
    ("level", "way"),
    [("bubblewrap", "deaf"), ("bubblewrap", "daemon stay"), ("limits", "deaf")],  # a daemon ends with a namespace only
)
def test_nothing_is_left_when_the_referee_is_killed(user: str, level: str, way: str) -> None:
    if level == "bubblewrap":
        need("bwrap", sandbox.INSTALL)
    with ward(user, way) as kept, kept.start(level, then="hold") as warden:
        assert warden.stdout is not None
        held = [os.pidfd_open(pid) for pid in json.loads(warden.stdout.readline())["pids"]]
        assert held
        warden.kill()
        for descriptor in held:
            assert select.select([descriptor], [], [], 2.0)[0], "a process outlived the referee by two seconds"
            os.close(descriptor)


def test_groups_of_dead_referees_are_removed() -> None:
    cgroup.find.cache_clear()
    if not (places := cgroup.find()):
        pytest.skip("no control groups for this user")
    with subprocess.Popen(["true"]) as dead:
        pass
    folder = places[0].base / f"referee.{dead.pid}.1.0"
    folder.mkdir()
    cgroup.find.cache_clear()
    cgroup.find()
    assert not folder.exists()


def test_all_descendants_but_the_spared_are_killed() -> None:
    script = """
import subprocess, sys
from referee.bots import process
process.become_subreaper()
spared, other = (subprocess.Popen(["sleep", "600"]) for _ in range(2))
subprocess.run(["setsid", "-f", "sleep", "600"], check=True)
process.kill_descendants(spare=[spared.pid])
print(other.wait(), spared.poll())
process.kill_descendants()
print(spared.wait())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["-9", "None", "-9"]


def test_the_environment_is_an_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("https_proxy", "HTTP_PROXY", "AWS_SECRET", "PYTHONPATH", "LD_PRELOAD", "PIP_INDEX_URL"):
        monkeypatch.setenv(key, "x")
    monkeypatch.setenv("LC_NUMERIC", "de_DE.UTF-8")
    bot = confine.environment("/tmp", REFEREE_TOKEN="t")
    build = confine.environment("/tmp", building=True)
    assert bot["LC_NUMERIC"] == "de_DE.UTF-8"
    assert bot["REFEREE_TOKEN"] == "t"
    assert "x" not in bot.values()
    assert {key for key, value in build.items() if value == "x"} == {"https_proxy", "HTTP_PROXY", "PIP_INDEX_URL"}


def test_a_row_is_this_process() -> None:
    row = tree.read(os.getpid())
    assert row is not None
    assert (row.parent, row.session, row.dead) == (os.getppid(), os.getsid(0), False)
    assert row.memory > MB
    assert tree.read(2**22 + 1) is None


@pytest.mark.parametrize("length", [0, 199, 200, 201, 10_000])
def test_a_log_keeps_its_head_and_its_tail(tmp_path: Path, length: int) -> None:
    path = tmp_path / "stderr"
    text = "".join(chr(ord("a") + n % 26) for n in range(length))
    path.write_text(text)
    logs.trim(path, 100)
    kept = path.read_text()
    assert kept[:50] == text[:50]
    assert kept[-50:] == text[-50:]
    assert (kept == text) is (length <= 200)
    assert logs.tail(path, 10) == text[-10:]


def test_what_is_shown_of_a_log_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    path.write_bytes(b"\x1b]0;title\x07\ttab\r\n\xff \xc2\x9bm")
    assert logs.tail(path, 100) == "�]0;title�\ttab�\n� �m"
