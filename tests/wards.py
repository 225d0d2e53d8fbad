"""Bots run by the warden (``zoo/warden.py``), as root or as an ordinary user, for tests of processes and sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.toolchain import missing

ROOT = Path(__file__).parent.parent
NOBODY = 65534
USERS = ("root", "ordinary")


@dataclass(slots=True)
class Story:
    """What became of a bot: its reports in order, and how it ended."""

    reports: list[dict[str, Any]] = field(default_factory=list)
    exit: str = ""
    stderr: str = ""
    cpu: float = 0.0
    sizes: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)

    @property
    def report(self) -> dict[str, Any]:
        """The only report."""
        [report] = self.reports
        return report


@dataclass(frozen=True, slots=True)
class Ward:
    """A place of a user's own with a bot in it: ``source/`` is its folder, ``arena/`` the arena."""

    user: str
    place: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file that belongs to the user, and to nobody else."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        self._give()
        return path

    def bot(self, *way: str, run: list[str] | None = None) -> None:
        """Put the bot there that escapes this way."""
        (self.place / "source").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests/zoo/escape.py", self.place / "source")
        command = run or ["python3", "escape.py", *way]
        self.write("source/bot.toml", f'name = "escape"\ngames = ["six_nimmt"]\nrun = {json.dumps(command)}\n')

    def start(self, level: str, then: str = "", *, cgroups: bool = True, **limits: int) -> subprocess.Popen[str]:
        """Start the warden."""
        self._give()
        request = {"place": str(self.place), "level": level, "limits": limits, "then": then, "cgroups": cgroups}
        command = [*as_user(self.user), "-m", "tests.zoo.warden", json.dumps(request)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment(self.user))

    def run(self, level: str, then: str = "", *, cgroups: bool = True, **limits: int) -> Story:
        """Run the bot to its end, or to its first report (of a refusal, say) if ``then`` is to kill it."""
        story = Story()
        with self.start(level, then, cgroups=cgroups, **limits) as warden:
            assert warden.stdout is not None
            for line in warden.stdout:
                match json.loads(line):
                    case {"report": report}:
                        story.reports.append(report)
                    case end:
                        story = Story(story.reports, **end)
        assert warden.returncode == 0
        return story

    def _give(self) -> None:
        if self.user == "ordinary" and os.getuid() == 0:
            for path in (self.place, *self.place.rglob("*")):
                os.chown(path, NOBODY, NOBODY)


@contextmanager
def ward(user: str, *way: str) -> Iterator[Ward]:
    """Give a place, with the bot that escapes this way, and take it back."""
    if user == "root" and os.getuid() != 0:
        pytest.skip("for root alone")
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        kept = Ward(user, Path(place))
        if way:
            kept.bot(*way)
        yield kept


def as_user(user: str) -> list[str]:
    """Return the command line of a Python that has the referee, as that user."""
    if user == "root" or os.getuid() != 0:
        return [sys.executable]
    return [*_dropping(), _python_for_all()]


def environment(user: str) -> dict[str, str]:
    """Return the environment of that Python."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(ROOT), *(p for p in sys.path if "site-packages" in p)]),
    }


def _dropping() -> list[str]:
    # by way of env: setpriv itself still has root's rights when it looks for the program
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env"]


@cache
def _python_for_all() -> str:
    """Return a Python with what the referee needs that an ordinary user can run: a home's is often closed to others."""
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        trial = [*_dropping(), python, "-c", "import referee.bots.process"]
        if not subprocess.run(
            trial, cwd=ROOT, env=environment("ordinary"), capture_output=True, check=False
        ).returncode:
            return python
    return missing(f"no Python 3.{sys.version_info.minor} that an ordinary user can run: apt-get install python3")
