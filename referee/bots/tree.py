"""Processes as /proc shows them: who descends from whom, what they use, and the end of whole trees."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PATIENCE = 1.0
"""Seconds that a fork bomb may outrun the killer before it gives up."""


class Row(NamedTuple):
    """One process: ``cpu`` in seconds, with the children it waited for; ``memory`` resident, in bytes."""

    pid: int
    parent: int
    session: int
    dead: bool
    started: int
    cpu: float
    threads: int
    memory: int


Rows = Mapping[int, Row]


def snapshot() -> dict[int, Row]:
    """Return all processes there are, by pid; about 20 µs each. Those that end meanwhile may be missing."""
    rows = (read(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - Paths cost more than the reads
    return {row.pid: row for row in rows if row}


def read(pid: int) -> Row | None:
    """Return one process, or None if there is none. proc(5) has the fields of ``stat``."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        stat = os.read(descriptor, 1024)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    field = stat[stat.rindex(b")") + 2 :].split()
    return Row(
        pid=pid,
        parent=int(field[1]),
        session=int(field[3]),
        dead=field[0] in {b"Z", b"X"},
        started=int(field[19]),
        cpu=sum(map(int, field[11:15])) * _TICK,
        threads=int(field[17]),
        memory=int(field[21]) * _PAGE,
    )


def share(row: Row) -> int:
    """Return the memory of a process in bytes, of what is common to several its share. Slower than ``memory``."""
    try:
        rollup = Path(f"/proc/{row.pid}/smaps_rollup").read_text()
    except OSError:
        return row.memory
    return next((int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:")), row.memory)


def family(rows: Rows, roots: Collection[int]) -> list[Row]:
    """Return ``roots``, all in the sessions that they lead, and all that descend from any of these."""
    children: dict[int, list[int]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row.pid)
    found: dict[int, Row] = {}
    waiting = [row.pid for row in rows.values() if row.pid in roots or row.session in roots]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = rows[pid]
            waiting += children.get(pid, [])
    return list(found.values())


def kill(find: Callable[[Rows], Iterable[Row]]) -> None:
    """Kill what ``find`` picks from a snapshot, and again, until a snapshot holds nothing new.

    One look is not enough: a process may fork between the look and its end, but not once its end is pending.
    """
    ended: set[tuple[int, int]] = set()
    give_up = time.monotonic() + _PATIENCE
    while time.monotonic() < give_up:
        fresh = [row for row in find(snapshot()) if not row.dead and (row.pid, row.started) not in ended]
        if not fresh:
            return
        for row in fresh:
            ended.add((row.pid, row.started))
            with contextlib.suppress(ProcessLookupError):
                os.kill(row.pid, signal.SIGKILL)


def bury(children: Iterable[Row]) -> None:
    """Take leave of those children of this process that have ended."""
    for row in children:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(row.pid, os.WNOHANG)


def descendants(rows: Rows, spare: Collection[int] = ()) -> list[Row]:
    """Return all that descend from this process, but for the trees of ``spare``."""
    me = os.getpid()
    roots = [row.pid for row in rows.values() if row.parent == me and row.pid not in spare]
    return family(rows, roots)
