"""A bot that misbehaves towards the machine it runs on, in the way that its arguments name; ``+`` is between several.

By hand: ``python3 escape.py read /etc/shadow``. It says in one line of JSON what came of it: on stderr, and to the
referee's socket if it has one. Every way has a bound of its own, should nothing stop it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

MOST_PROCESSES = 500
MOST_MEMORY = 4 << 30
MOST_OUTPUT = 1 << 30
MOST_DISK = 1 << 30
LONG = 120.0

_CHUNK = 1 << 20
_CLONE_NEWUSER = 0x10000000
_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
_libc = ctypes.CDLL(None, use_errno=True)


def say(**facts: object) -> None:
    """Report; the referee's socket is the proof that it can be reached from where this runs."""
    line = json.dumps(facts) + "\n"
    with contextlib.suppress(OSError):
        os.write(2, line.encode())
    address = os.environ.get("REFEREE_ADDRESS", "")
    if address.startswith("unix:"):
        with socket.socket(socket.AF_UNIX) as wire, contextlib.suppress(OSError):
            wire.connect(address.removeprefix("unix:"))
            wire.sendall(line.encode())


def attempt(what: Callable[[], object]) -> None:
    """Report what came of one attempt: the value, or the error that refused it."""
    try:
        say(done=what())
    except OSError as error:
        say(refused=error.strerror)


def leave(code: str) -> None:
    """Exit at once."""
    sys.exit(int(code))


def crash(number: str) -> None:
    """Die of a signal."""
    os.kill(os.getpid(), int(number))


def deaf() -> None:
    """Ignore every signal that can be ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    say(deaf=True)
    time.sleep(LONG)


def daemon(fate: str) -> None:
    """Leave a process behind that is in no session, group or pipe of its parent's; then ``stay`` or ``leave``."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.environ.pop("REFEREE_TOKEN", None)
            say(daemon=True)
            time.sleep(LONG)
        os._exit(0)
    os.wait()
    if fate == "stay":
        time.sleep(LONG)


def multiply() -> None:
    """Fork until it is refused, and stay."""
    for number in range(MOST_PROCESSES):
        try:
            if os.fork() == 0:
                time.sleep(LONG)
                os._exit(0)  # going on with the loop, what a killed test leaves behind would bring down the machine
        except OSError as error:
            say(forks=number, refused=error.strerror)
            time.sleep(LONG)
    say(forks=MOST_PROCESSES)
    time.sleep(LONG)


def hog() -> None:
    """Take memory and touch it."""
    taken = [bytearray(os.urandom(16) * (_CHUNK // 16)) for _ in range(MOST_MEMORY // _CHUNK)]
    say(taken=len(taken) * _CHUNK)


def flood() -> None:
    """Print without end, on both streams."""
    line = b"noise " * (_CHUNK // 6)
    for _ in range(MOST_OUTPUT // len(line)):
        os.write(1, line)
        os.write(2, line)


def mute() -> None:
    """Close what it was given to print on."""
    os.close(1)
    os.close(2)
    say(mute=True)


def spin(seconds: str) -> None:
    """Use the processor for so long, in a child it waits for and one that it does not."""
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            while time.process_time() < float(seconds) / 2:
                pass
            os._exit(0)
        children.append(child)
    os.waitpid(children[0], 0)
    os.waitid(os.P_PID, children[1], os.WEXITED | os.WNOWAIT)
    say(spun=True)
    time.sleep(LONG)


def read(path: str) -> None:
    """Read a file, or what is in a folder."""
    file = Path(path)
    attempt(lambda: [f.name for f in file.iterdir()] if file.is_dir() else file.read_text(errors="replace")[:100])


def write(path: str) -> None:
    """Write a file."""
    attempt(lambda: Path(path).write_text("it was here"))


def open_(path: str) -> None:
    """Open a file for writing, and write nothing: it may be the kernel's."""
    attempt(lambda: os.close(os.open(path, os.O_WRONLY)))


def fill(folder: str) -> None:
    """Fill a folder, with files that are each of a size that may be written."""
    written, block = 0, b"\0" * (_CHUNK // 4)
    try:
        for number in range(MOST_DISK // len(block)):
            written += Path(folder, f"fill{number}").write_bytes(block)
        say(filled=written)
    except OSError as error:
        say(filled=written, refused=error.strerror)


def connect(host: str, port: str) -> None:
    """Connect by TCP."""
    attempt(lambda: socket.create_connection((host, int(port)), timeout=5).getpeername())


def abstract(name: str) -> None:
    """Connect to a socket that is in no folder but in the network's namespace."""
    wire = socket.socket(socket.AF_UNIX)
    attempt(lambda: wire.connect("\0" + name))


def signals(pid: str) -> None:
    """Send a signal that hurts nobody."""
    attempt(lambda: os.kill(int(pid), signal.SIGCONT))


def trace(pid: str) -> None:
    """Trace another process."""

    def seize() -> None:
        if _libc.ptrace(_PTRACE_SEIZE, int(pid), None, None) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        _libc.ptrace(_PTRACE_DETACH, int(pid), None, None)

    attempt(seize)


def namespace() -> None:
    """Become root of a user namespace: the way to most holes in a kernel."""

    def unshare() -> None:
        if _libc.unshare(_CLONE_NEWUSER) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    attempt(unshare)


def look() -> None:
    """Say what it sees."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    say(
        environment=dict(os.environ),
        root=sorted(os.listdir("/")),  # noqa: PTH208
        processes=sum(name.isdigit() for name in os.listdir("/proc")),  # noqa: PTH208
        interfaces=[name for _, name in socket.if_nameindex()],
        capabilities=status["CapEff"].strip(),
        folder=str(Path.cwd()),
        session=os.getsid(0) == os.getpid(),
        open_files=os.sysconf("SC_OPEN_MAX"),
        descriptors=sorted(int(name) for name in os.listdir("/proc/self/fd")),  # noqa: PTH208
    )


WAYS: dict[str, Callable[..., None]] = {
    way.__name__.rstrip("_"): way
    for way in (
        *(leave, crash, deaf, daemon, multiply, hog, flood, mute, spin),
        *(read, write, open_, fill, connect, abstract, signals, trace, namespace, look),
    )
}

if __name__ == "__main__":
    for way in " ".join(sys.argv[1:]).split(" + "):
        name, *arguments = way.split(" ")
        WAYS[name](*arguments)
