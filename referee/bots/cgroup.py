"""Control groups, version 1 and 2: memory and tasks of a bot counted by the kernel, where this user may have it."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from referee.bots import tree
from referee.bots.limits import ProcessLimits

WANTED = frozenset({"memory", "pids"})
_numbers = itertools.count()
_JOIN = 'until [ "$1" = -- ]; do echo 0 >"$1/cgroup.procs" || exit 126; shift; done; shift; exec "$@"'
"""A script that enters the groups it is given, then becomes the command after ``--``: in before anything can fork."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A place where groups can be made, and what they can limit there."""

    base: Path
    controllers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The group of one bot: a folder in every hierarchy; one without folders stands for none."""

    folders: tuple[Path, ...]
    counts_memory: bool = False
    counts_tasks: bool = False

    def entering(self, command: Sequence[str]) -> list[str]:
        """Return the command line that enters the group and runs ``command`` there."""
        if not self.folders:
            return list(command)
        return ["/bin/sh", "-c", _JOIN, "sh", *map(str, self.folders), "--", *command]

    def members(self) -> set[int]:
        """Return the pids in it."""
        return {int(pid) for folder in self.folders for pid in _read(folder / "cgroup.procs").split()}

    def kill(self) -> bool:
        """Kill all its members at once; False where the kernel cannot (it takes version 2, and Linux 5.14)."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
                return True
        return False

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed a member that went over the limit."""
        events = (_read(f / name) for f in self.folders for name in ("memory.events", "memory.oom_control"))
        return any(_field(text, "oom_kill") for text in events)

    @property
    def counts_all(self) -> bool:
        """Whether the kernel counts memory, tasks, and processor time, which version 2 always does."""
        return self.counts_memory and self.counts_tasks and any((f / "cpu.stat").exists() for f in self.folders)

    def cpu_seconds(self) -> float:
        """Return the processor time of all its members, past ones included; 0 where the kernel does not count it."""
        return max((_field(_read(folder / "cpu.stat"), "usage_usec") for folder in self.folders), default=0) / 1e6

    def remove(self) -> bool:
        """Remove it; False while something in it still ends."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in self.folders)


NONE = Cgroup(())


def create(limits: ProcessLimits, overhead: int) -> Cgroup:
    """Return a new group with these limits, ``NONE`` where it cannot be; ``overhead`` tasks are not the bot's own."""
    hierarchies = find()
    if not hierarchies:
        return NONE
    me = tree.read(os.getpid())
    name = f"referee.{os.getpid()}.{me.started if me else 0}.{next(_numbers)}"
    values = {
        "memory.limit_in_bytes": limits.memory,
        "memory.memsw.limit_in_bytes": limits.memory,
        "memory.max": limits.memory,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "pids.max": limits.processes + overhead,
    }
    controllers = frozenset[str]().union(*(h.controllers for h in hierarchies))
    group = Cgroup(tuple(h.base / name for h in hierarchies), "memory" in controllers, "pids" in controllers)
    try:
        for folder in group.folders:
            folder.mkdir()
            for file, value in values.items():
                if (folder / file).exists():
                    (folder / file).write_text(str(value))
    except OSError:  # a limit on groups, say: the referee looks for itself then
        group.remove()
        return NONE
    return group


@cache
def find() -> tuple[Hierarchy, ...]:
    """Return where groups can be made; groups that dead referees left there are emptied and removed."""
    found = tuple(_hierarchies())
    for hierarchy in found:
        for folder in hierarchy.base.glob("referee.*.*.*"):
            _, pid, started, _ = folder.name.split(".")
            owner = tree.read(int(pid))
            if owner is None or owner.started != int(started):
                _clear(Cgroup((folder,)))
    return found


def _clear(group: Cgroup) -> None:
    tree.kill(lambda rows: [rows[pid] for pid in group.members() & rows.keys()])
    group.remove()


def _hierarchies() -> Iterator[Hierarchy]:
    mounts = [line.split() for line in _read(Path("/proc/self/mountinfo")).splitlines()]
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, names, own = line.split(":", 2)
        version = 1 if names else 2
        controllers = WANTED & set(names.split(","))
        for _, _, _, root, point, *_, kind, _, options in mounts:
            here = Path(point, os.path.relpath(own, root))
            if version == 1 and kind == "cgroup" and controllers and controllers <= set(options.split(",")):
                if _writable(here):
                    yield Hierarchy(here, controllers)
            elif version == 2 and kind == "cgroup2":
                yield from _delegated(here, Path(point))


def _delegated(own: Path, top: Path) -> Iterator[Hierarchy]:
    """Yield the nearest group above this process that hands memory and tasks down; else its own, good for killing.

    A group of version 2 that holds processes cannot hand anything down, so this process's own seldom does.
    """
    for base in (own, *own.parents):
        if not base.is_relative_to(top):
            break
        if _handed_down(base) >= WANTED and _writable(base):
            yield Hierarchy(base, WANTED)
            return
    if _writable(own) and not _handed_down(own) & WANTED:
        yield Hierarchy(own, frozenset())


def _handed_down(group: Path) -> set[str]:
    return set(_read(group / "cgroup.subtree_control").split())


def _writable(group: Path) -> bool:
    return os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _field(text: str, name: str) -> int:
    """Return the number after ``name`` in a file of names and numbers; 0 if it is not there."""
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} ")), 0)
