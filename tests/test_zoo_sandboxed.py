"""A tournament of the zoo locked up: the walls stop no honest bot, and hide no fault of the others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from msgspec.json import encode

from referee.bots import sandbox
from referee.bots.shelf import shelve
from referee.store import Store
from tests.e2e.host import Host
from tests.toolchain import missing, need
from tests.wards import NOBODY, ROOT, USERS
from tests.zoo import wire_bot

FAULTS = {
    "exits_when_asked": {"CRASHED"},
    "connects_and_closes": {"CRASHED"},
    "speaks_protocol_2": {"NO_START"},
    "plays_a_card_it_does_not_hold": {"ILLEGAL"},
    "sends_garbage_messages": {"MALFORMED"},
    "answers_twice": set(),
    "ada": set(),
    "bob": set(),
    "cid": set(),
}


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bwrap", sandbox.INSTALL)


@pytest.fixture
def place() -> Iterator[Path]:
    """Give a folder that an ordinary user reaches: pytest keeps its own to itself."""
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("user", USERS)
def test_a_zoo_behind_bubblewrap_harms_no_honest_bot(place: Path, user: str) -> None:
    host = Host(place)
    animals = {name: name if kinds or name == "answers_twice" else "honest" for name, kinds in FAULTS.items()}
    bots = {name: wire_bot(place / name, animal, name).folder for name, animal in animals.items()}
    host.tournament(
        bots,
        sandbox="require",
        seats=3,
        time={"move": "20s", "bank": "20s"},  # nobody here is slow: the machine may be
        schedule={"deals": 1, "max_games": 27},
        limits={"bench_after": 2},
    )
    ended = subprocess.run(
        [*_python(user, place), "-m", "referee", "run", str(place / "cup.toml"), "--arena", str(host.arena)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert {name: set(host.faults(name)) for name in FAULTS} == FAULTS
    with Store.open(host.arena, write=False) as store:
        assert {record.sandbox for record in store.records("cup")} == {"bubblewrap"}


def test_submitted_bots_play_from_an_arena_beside_the_tournament_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a host types it: no path is absolute, while every bot starts in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    host, names = Host(Path()), ("ada", "bob")
    with Store.open(host.arena, write=True) as store:
        for name in names:
            bot = shelve(host.arena, wire_bot(Path("sources", name), "honest", name).folder, "bubblewrap")
            store.add_bot(bot.name, bot.version, bot.digest, bot.folder, encode(bot.manifest).decode())
    host.tournament({name: Path(name) for name in names}, sandbox="require", schedule={"deals": 1})
    host.finish()
    assert len(host.choices()) == 2
    assert host.faults("ada") == host.faults("bob") == []


def _python(user: str, place: Path) -> list[str]:
    """Return the command line of a Python with all that the referee and the zoo need, as that user."""
    root = os.getuid() == 0
    if user == "root":
        return [sys.executable] if root else pytest.skip("for root alone")
    if not root:
        return [sys.executable]
    python = _python_for_all(place / "venv")
    for path in (place, *place.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", f"HOME={place}", str(python)]


def _python_for_all(venv: Path) -> Path:
    """Make a virtual environment that borrows our packages: our own Python may lie in a home closed to others."""
    minor = sys.version_info.minor
    system = f"/usr/bin/python3.{minor}"
    made = shutil.which(system) and subprocess.run(
        [system, "-I", "-m", "venv", "--without-pip", str(venv)], capture_output=True, check=False
    )
    if not made or made.returncode:
        missing(f"no {system} with venv for an ordinary user: apt-get install python3-venv")
    ours, packages = Path(grpc.__file__).parent.parent, venv / f"lib/python3.{minor}/site-packages"
    (packages / "ours.pth").write_text("\n".join(map(str, (ours, ROOT, ROOT / "sdk/python"))))
    shutil.copytree(ours / "google", packages / "google")  # a namespace: the sandbox shows no such by its path
    return venv / "bin/python"
