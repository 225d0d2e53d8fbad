"""The processes of bots: started, watched, killed whole. The only file of the referee that starts programs."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import trio

from referee.bots import cgroup, confine, logs, manifest, roots, tree
from referee.bots.limits import ProcessLimits, granted
from referee.errors import BotError

if TYPE_CHECKING:
    from referee.bots.shelf import Bot

_running: dict[int, Process] = {}
"""The bots that this process runs, by pid. Children belong to a process as a whole, so this does too."""
_helpers: set[int] = set()
"""Its other children: builds and canaries."""
_leftover: list[cgroup.Cgroup] = []
"""Groups whose last members are still ending."""
_adopts = False
"""Whether what bots leave behind becomes a child of this process."""

LOGS = ("stdout", "stderr")
"""What a bot prints, in the folder for its logs."""

_OF_THE_COMMAND = frozenset(
    {
        *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP),
        *(errno.E2BIG, errno.ENAMETOOLONG, errno.EINVAL, errno.ELIBBAD),
    }
)
"""What execve(2) says of a command that never starts; its other errors are the machine's, and may pass."""
_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE = 1.0
"""Seconds that a killed process may take to end, its memory to be given back."""


def become_subreaper() -> None:
    """Become the parent of whatever descendants leave behind (daemons, orphans), so that it is found and killed.

    From then on a child in a session of its own that ``spawn`` did not start counts as left behind by a bot.
    """
    global _adopts  # noqa: PLW0603 - a property of this process, like its children
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    _adopts = True


def kill_descendants(spare: Collection[int] = ()) -> None:
    """Kill all that descends from this process, but for the children ``spare`` and theirs: the end of a worker."""
    tree.kill(lambda rows: tree.descendants(rows, spare))


class Process:
    """A bot that runs. It belongs to the thread that spawned it: when that ends, so does the bot."""

    def __init__(
        self, popen: subprocess.Popen[bytes], level: str, limits: ProcessLimits, desk: Path, group: cgroup.Cgroup
    ) -> None:
        self.pid = popen.pid
        self.exit: str | None = None
        """How it ended, in words; None while it runs."""
        self._popen, self._level, self._limits, self._desk, self.group = popen, level, limits, desk, group
        self._why = ""
        self._cpu = 0.0
        self.swept = level == "bubblewrap"  # its namespace goes with it, and all that is in there

    def kill(self, why: str = "") -> None:
        """Kill it and all that descends from it; ``why`` becomes how it ended."""
        if self.exit is None:
            self._why = self._why or why
            _sweep([self])
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> str:
        """Wait for its end. Return how it ended: ``exit code 1``, ``signal 9 (SIGKILL)``, or why it was killed."""
        if self.exit is None:
            descriptor = os.pidfd_open(self.pid)
            try:
                await trio.lowlevel.wait_readable(descriptor)
            finally:
                os.close(descriptor)
        return self._reap()

    def check(self, rows: tree.Rows) -> None:
        """Cut its logs, and hold it to the limits that the kernel does not. ``rows`` are all processes there are."""
        for name in LOGS:
            logs.trim(self._desk / name, self._limits.log)
        family = self.measure(rows)
        tasks = sum(row.threads for row in family) - confine.overhead(self._level)
        if tasks > self._limits.processes and not self.group.counts_tasks:
            self.kill(f"killed: ran {tasks} processes and threads of {self._limits.processes}")
        if sum(row.memory for row in family) > self._limits.memory and not self.group.counts_memory:
            memory = sum(map(tree.share, family))  # what forks have in common was counted for each of them
            if memory > self._limits.memory:
                self.kill(_used(memory, self._limits))

    def cpu_seconds(self) -> float:
        """Return the processor time of it and its descendants in seconds: the kernel's, or what ``watch`` saw last."""
        if self.exit is None:
            self.measure({})
        return self._cpu

    def stderr_tail(self, size: int = 4096) -> str:
        """Return about the last ``size`` bytes that it wrote to stderr, safe to show on a terminal."""
        return logs.tail(self._desk / "stderr", size)

    def close(self) -> None:
        """Kill it if it still runs, and let go of everything. What it printed stays as its bot's last logs."""
        self.kill()
        if self.exit is None and _ended_within(self.pid, _PATIENCE):
            self._reap()
        for name in LOGS:
            logs.trim(self._desk / name, self._limits.log)
            with suppress(OSError):  # below bubblewrap a bot can make of its logs what it likes
                (self._desk / name).replace(self._desk.parent / name)
        with suppress(RecursionError):  # folders in folders without end
            shutil.rmtree(self._desk, ignore_errors=True)
        self._desk = self._desk.parent

    def measure(self, rows: tree.Rows) -> list[tree.Row]:
        """Note the processor time of its family, and return the family."""
        family = tree.family(rows, {self.pid})
        self._cpu = max(self._cpu, self.group.cpu_seconds(), sum(row.cpu for row in family))
        return family

    def _reap(self) -> str:
        """Bury it, once it has ended; as long as it is not buried its pid cannot become another's."""
        if self.exit is None:
            _sweep([self])
            _, status, usage = os.wait4(self.pid, 0)
            self.measure({})
            self._cpu = max(self._cpu, usage.ru_utime + usage.ru_stime)
            self._popen.returncode = os.waitstatus_to_exitcode(status)
            if self.group.ran_out_of_memory():
                self._why = self._why or _used(self._limits.memory, self._limits)
            self.exit = self._why or _said(self._popen.returncode, self._level)
            _leftover.append(self.group)
            del _running[self.pid]
            _tidy()
        return self.exit


def spawn(bot: Bot, *, address: str, token: str, logs: Path, level: str, limits: ProcessLimits) -> Process:
    """Start a bot that dials ``address`` (``unix:/folder/socket``), at a level of the sandbox.

    What it prints is in a folder below ``logs/<digest>/`` while it runs, and in ``logs/<digest>/`` itself when it is
    closed: ``stdout`` and ``stderr`` of the last process of each bot. Quick; to be called from a thread that lives as
    long as the bot shall. ``limits`` are what the host gives; a bot may ask for less.

    Raises BotError if the command of the bot cannot be started or it asks for more, and OSError if the machine cannot
    start anything now: no process, no memory, no descriptor or no disk is left, which is not the bot's doing.
    """
    limits = granted(bot.manifest, limits)
    program = manifest.resolve(bot.manifest, bot.folder, manifest.search_path())
    shown = roots.needed(_words(bot, program))
    if level == "bubblewrap" and not roots.visible(program, bot.folder, shown):
        raise BotError(
            f"bot {bot.name!r}: {program} is not to be seen in the sandbox",
            "a sandboxed bot sees its own folder, the system, and what is installed for programs on the PATH",
        )
    cell = confine.Cell(bot.folder, (*shown, Path(address.removeprefix("unix:")).parent))
    command = confine.command(level, [str(program), *bot.manifest.run[1:]], cell, limits)
    (logs / bot.digest[:16]).mkdir(parents=True, exist_ok=True)
    desk = Path(tempfile.mkdtemp(dir=logs / bot.digest[:16]))
    home = "/tmp" if level == "bubblewrap" else str(desk / "home")
    environment = confine.environment(home, REFEREE_ADDRESS=address, REFEREE_TOKEN=token)
    group = cgroup.NONE if level == "none" else cgroup.create(limits, confine.overhead(level))
    try:
        (desk / "home").mkdir()
        popen = _start(group.entering(command), environment, bot.folder, [desk / name for name in LOGS])
    except OSError as error:
        group.remove()
        shutil.rmtree(desk, ignore_errors=True)
        if error.errno not in _OF_THE_COMMAND:
            raise
        raise BotError(f"bot {bot.name!r} cannot be started: {error}", "see what `referee doctor` says") from error
    process = _running[popen.pid] = Process(popen, level, limits, desk, group)
    return process


def kill_all() -> None:
    """Kill all bots of this process: with one look for all of them, where ``kill`` has to look for each."""
    _sweep(_running.values())
    for bot in _running.values():
        bot.kill()


def _sweep(bots: Iterable[Process]) -> None:
    """Kill what is left of bots, once."""
    left = {bot.pid: bot for bot in bots if not bot.swept and not bot.group.kill()}
    for bot in bots:
        bot.swept = True
    if left:

        def find(rows: tree.Rows) -> list[tree.Row]:
            members = {pid for bot in left.values() for pid in bot.group.members()}
            return [*tree.family(rows, left.keys() | members), *_strays(rows)]

        tree.kill(find)


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path, output: Path, patience: float) -> str:
    """Run a program that is no bot (a build, a canary) to its end; what it prints goes to ``output``.

    Return how it ended: empty if well. After ``patience`` seconds it is killed. Raises OSError if it cannot be started.
    """
    popen = _start(command, environment, folder, [output, output])
    _helpers.add(popen.pid)
    try:
        ended = _ended_within(popen.pid, patience)
    finally:
        tree.kill(lambda rows: tree.family(rows, {popen.pid}))
        code = popen.wait()
        _helpers.remove(popen.pid)
    if not ended:
        return f"not done after {patience:g} s"
    return _said(code, "") if code else ""


async def watch(every: float = 0.1) -> NoReturn:
    """Hold all bots of this process to their limits, and kill what they leave behind, for as long as this runs."""
    while True:
        await trio.sleep(every)
        with suppress(OSError):  # no descriptors left, say: the next round may have some
            counted = all(bot.group.counts_all for bot in _running.values())
            _look({} if counted else await trio.to_thread.run_sync(tree.snapshot))


def _look(rows: tree.Rows) -> None:
    for bot in _running.values():
        with suppress(OSError):  # what cannot be done about one bot is done about the others
            bot.check(rows)
    if strays := _strays(rows):
        tree.kill(_strays)
        tree.bury(strays)
    _tidy()


def _words(bot: Bot, program: Path) -> tuple[str, ...]:
    """Return the words that may be programs it needs: of its commands, and what a script's first line looks up."""
    found = manifest.interpreters(program, manifest.search_path())
    return (*bot.manifest.words(), *(each.name for each in found if each))


def _start(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, outputs: Sequence[Path]
) -> subprocess.Popen[bytes]:
    """Start a session of its own. No ``preexec_fn``: it costs 50 ms in a large parent, and gRPC dislikes forks."""
    descriptors = [os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND, 0o600) for path in outputs]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptors[0],
            stderr=descriptors[1],
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _strays(rows: tree.Rows) -> list[tree.Row]:
    """Return what bots have left behind: adopted by this process, started by nobody in it."""
    if not _adopts:
        return []
    me, session = os.getpid(), os.getsid(0)
    ours = _running.keys() | _helpers
    orphans = {row.pid for row in rows.values() if row.parent == me and row.session != session and row.pid not in ours}
    return tree.family(rows, orphans)


def _tidy() -> None:
    """Remove the groups of bots that are gone, and kill what may be left in them."""
    _leftover[:] = [group for group in _leftover if not (group.kill(), group.remove())[1]]


def _ended_within(pid: int, seconds: float) -> bool:
    descriptor = os.pidfd_open(pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def _used(memory: int, limits: ProcessLimits) -> str:
    return f"killed: used {memory >> 20} MB of {limits.memory >> 20} MB"


def _said(code: int, level: str) -> str:
    """Return an exit in words. bubblewrap, like a shell, adds 128 to the signal that ended its child."""
    number = -code if code < 0 else code - 128 if level == "bubblewrap" and code > 128 else 0
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"exit code {code}"
