"""A host at work: a tournament file, and `referee run` as a process that can be watched, signalled and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee import samples
from referee.report.games import exported
from referee.store import Store

REFEREE = (sys.executable, "-m", "referee")


@dataclass
class Running:
    """A `referee run` that has not ended."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def until(self, words: str) -> str:
        """Read its stderr until a line with these words; fail if it ends before."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if words in line:
                return line
        raise AssertionError(f"no line with {words!r}; it said:\n{''.join(self.lines)}")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Wait for its end and return its exit code."""
        assert self.process.stderr is not None
        self.lines.extend(self.process.stderr)
        return self.process.wait()

    def workers(self) -> list[int]:
        """Return the pids of its worker processes."""
        return children(self.process.pid)


@dataclass
class Host:
    """A folder with a tournament file and an arena."""

    folder: Path

    @property
    def arena(self) -> Path:
        return self.folder / "arena"

    def tournament(self, bots: Mapping[str, Path] | None = None, **settings: Any) -> None:
        """Write a tournament of small games; between quick honest sample bots unless told otherwise."""
        folders = bots.values() if bots else [samples.folder() / name for name in ("lowest", "highest")]
        keys: dict[str, Any] = {
            "game": "six_nimmt",
            "seats": 2,
            "bots": [str(path) for path in folders],
            "seed": "a seed",
            "options": {"max_deals": 1},
            "schedule": {"deals": 20},
            "limits": {"games_in_flight": 8},
            "sandbox": "none",
        } | settings
        lines = [f"{key} = {_toml(value)}\n" for key, value in keys.items()]
        (self.folder / "cup.toml").write_text('name = "cup"\n' + "".join(lines))

    def run(self, *words: str) -> Running:
        """Start `referee run`."""
        command = [*REFEREE, "run", str(self.folder / "cup.toml"), "--arena", str(self.arena), *words]
        return Running(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))

    def finish(self, *words: str) -> list[str]:
        """Run to the end, which must be a good one; return what was said."""
        running = self.run(*words)
        assert running.end() == 0, "".join(running.lines)
        return running.lines

    def choices(self) -> dict[str, list[Any]]:
        """Return the events of every stored game, without times, by its id."""
        with Store.open(self.arena, write=False) as store:
            games = [exported(record) for record in store.records("cup")]
        for game in games:
            for event in game["events"]:
                event.pop("us", None)
        assert len({game["id"] for game in games}) == len(games)
        return {game["id"]: game["events"] for game in games}

    def faults(self, bot: str) -> list[str]:
        """Return the kinds of a bot's faults in all stored games."""
        with Store.open(self.arena, write=False) as store:
            games = [exported(record) for record in store.records("cup")]
        return [f["kind"] for game in games for seat in game["seats"] if seat["bot"] == bot for f in seat["faults"]]


def children(pid: int) -> list[int]:
    """Return the pids of a process's children."""
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def descendants(pid: int) -> set[int]:
    """Return the pids of everything below a process."""
    found: set[int] = set()
    for child in children(pid):
        found |= {child} | descendants(child)
    return found


def wait_gone(pids: set[int], seconds: float) -> None:
    """Wait for the end of processes that are not our children. Raises AssertionError after ``seconds``."""
    import select

    handles = {}
    for pid in pids:
        try:
            handles[os.pidfd_open(pid)] = pid
        except ProcessLookupError:
            continue
    left = dict(handles)
    try:
        while left:
            ready = select.select(list(left), [], [], seconds)[0]
            assert ready, f"still there after {seconds} s: {sorted(left.values())}"
            for handle in ready:
                del left[handle]
    finally:
        for handle in handles:
            os.close(handle)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
