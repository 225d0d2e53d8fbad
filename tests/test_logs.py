"""Logs that their bot has cut, closed, or replaced by something else."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.bots import logs
from tests.wards import ROOT, as_user, environment, ward


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("theirs"))


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _nothing(path: Path) -> None:
    path.parent.rmdir()


@pytest.mark.parametrize("put", [_folder, _link, _pipe, _nothing])
def test_what_a_bot_puts_in_place_of_its_log_is_left_alone(tmp_path: Path, put: Callable[[Path], None]) -> None:
    (tmp_path / "logs").mkdir()
    theirs = tmp_path / "logs/theirs"
    if put is _link:
        theirs.write_text("x" * 1000)
    put(tmp_path / "logs/stderr")
    logs.trim(tmp_path / "logs/stderr", 100)
    assert logs.tail(tmp_path / "logs/stderr", 10) == ""
    assert put is not _link or theirs.read_text() == "x" * 1000


def test_a_log_closed_to_the_referee_is_empty() -> None:
    script = """
import sys
from pathlib import Path
from referee.bots import logs
path = Path(sys.argv[1])
path.chmod(0)
logs.trim(path, 1)
print(repr(logs.tail(path, 10)))
"""
    with ward("ordinary") as kept:
        path = kept.write("stderr", "secret")
        command = [*as_user("ordinary"), "-c", script, str(path)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment("ordinary"), capture_output=True, text=True, check=True
        )
        assert done.stdout == "''\n"


@pytest.mark.parametrize("left", [0, 10, 150])
def test_a_log_may_shrink_while_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    class Shrinking(io.BufferedRandom):
        def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
            found = super().seek(offset, whence)
            os.truncate(path, left)
            return found

    path = tmp_path / "stderr"
    path.write_text("x" * 1000)
    with monkeypatch.context() as patch:
        patch.setattr(logs, "open", lambda p, _, opener: Shrinking(io.FileIO(p, "a+", opener=opener)), raising=False)
        logs.trim(path, 100)
    head = path.read_bytes()[:50]
    assert head == (b"x" * left)[:50].ljust(50, b"\0")
    assert path.stat().st_size <= 2 * 100
