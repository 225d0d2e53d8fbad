"""Which level of the sandbox works on this machine: found by running a canary, not by what is installed."""

from __future__ import annotations

import re
import socket
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from referee.bots import cgroup, confine, process
from referee.bots.limits import LEVELS, ProcessLimits
from referee.errors import SandboxError

SETTINGS = ("auto", "require", "limits", "none")
"""What ``sandbox`` in a config may be: the best level there is, bubblewrap or nothing, or one of the lower levels."""

INSTALL = "apt-get install bubblewrap"
_OLDEST = (0, 8)
"""bubblewrap that can bound the size of /tmp and forbid further user namespaces."""
_APPARMOR_RULE = """write to /etc/apparmor.d/bwrap
    abi <abi/4.0>,
    include <tunables/global>
    profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }
and run apparmor_parser -r /etc/apparmor.d/bwrap"""
_CONTAINER = (
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
)
_PATIENCE = 10.0
_CANARY = """
[ -e "$1" ] && echo "it sees a file that it should not"
(: >written) 2>/dev/null && echo "it writes to its own folder"
[ "$(grep -c : /proc/net/dev)" = 1 ] || echo "it has a network"
[ -S "$2" ] || echo "it does not see the socket"
echo sings
"""
"""A program for ``sh`` that says which walls are missing: its arguments are a secret and the socket."""
_SINGS = "sings"


@dataclass(frozen=True, slots=True)
class Finding:
    """What ``referee doctor`` says of a level or a limit: whether it works, what that means, or why not."""

    name: str
    works: bool
    says: str
    hint: str = ""


def choose(setting: str) -> str:
    """Return the level for one of ``SETTINGS``. Raises SandboxError, with the remedy, where it does not work."""
    if setting not in SETTINGS:
        raise SandboxError(f"sandbox = {setting!r} is no setting", f"known: {', '.join(SETTINGS)}")
    if setting == "auto":
        return next(level for level in LEVELS if probe(level).works)
    level = "bubblewrap" if setting == "require" else setting
    if not (found := probe(level)).works:
        raise SandboxError(f"sandbox = {setting!r}, but {level} does not work here: {found.says}", found.hint)
    return level


def diagnose() -> list[Finding]:
    """Return what works here of the sandbox and its limits."""
    return [*map(probe, LEVELS), _counting()]


@cache
def probe(level: str) -> Finding:
    """Run the canary at a level, once in the life of this process."""
    if level == "none":
        return Finding(level, works=True, says="bots run as any program of this user does")
    return _missing(level) or _sing(level)


def _missing(level: str) -> Finding | None:
    """Say which program is not installed, or too old."""
    program, install = ("bwrap", INSTALL) if level == "bubblewrap" else ("setpriv", "apt-get install util-linux")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        try:
            process.run([program, "--version"], confine.environment(folder), Path(folder), output, _PATIENCE)
        except OSError:
            return Finding(level, works=False, says=f"{program} is not installed", hint=install)
        version = re.search(r"(\d+)\.(\d+)", output.read_text())
    if level == "bubblewrap" and version and (int(version[1]), int(version[2])) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        return Finding(
            level, works=False, says=f"bubblewrap {version[0]} is too old", hint=f"install {oldest} or newer"
        )
    return None


def _sing(level: str) -> Finding:
    """Run the canary. A level works if it sings, and if bubblewrap's walls are all there."""
    with tempfile.TemporaryDirectory(prefix="referee-canary-") as name:
        folder, sockets, secret, output = (Path(name) / part for part in ("bot", "socket", "secret", "output"))
        folder.mkdir()
        sockets.mkdir()
        secret.touch()
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(sockets / "s"))
            canary = ["/bin/sh", "-c", _CANARY, "canary", str(secret), str(sockets / "s")]
            command = confine.command(level, canary, confine.Cell(folder, shown=(sockets,)), ProcessLimits())
            ended = process.run(command, confine.environment(name), folder, output, _PATIENCE)
        said = output.read_text(errors="replace").splitlines() or ["the canary did not sing"]
    if ended:
        return Finding(level, works=False, says=f"{said[-1]} ({ended})", hint=_remedy())
    if level == "limits":
        return Finding(level, works=True, says="bots are held to their limits, but see what this user sees")
    if said != [_SINGS]:
        return Finding(level, works=False, says=f"in the sandbox {said[0]}", hint=_remedy())
    return Finding(
        level, works=True, says="a bot sees the system, its own folder, the referee's socket, and nothing else"
    )


def _remedy() -> str:
    """Return what keeps this user from having namespaces, and how to change it."""
    if _sysctl("kernel/unprivileged_userns_clone") == "0":
        return "sysctl -w kernel.unprivileged_userns_clone=1"
    if _sysctl("user/max_user_namespaces") == "0":
        return "sysctl -w user.max_user_namespaces=15000"
    if _sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return f"Ubuntu allows user namespaces by program: {_APPARMOR_RULE}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return f"in a container: start it with {_CONTAINER}"
    return "user namespaces seem to be forbidden on this machine"


def _sysctl(name: str) -> str:
    path = Path("/proc/sys") / name
    return path.read_text().strip() if path.exists() else ""


def _counting() -> Finding:
    """Say who counts the memory and the processes of a bot."""
    counted = frozenset[str]().union(*(place.controllers for place in cgroup.find()))
    if counted >= cgroup.WANTED:
        return Finding("cgroup", works=True, says="the kernel counts the memory and the processes of each bot")
    return Finding(
        "cgroup",
        works=False,
        says="the referee looks at memory and processes ten times a second: a bot can exceed them for a moment",
        hint="systemd-run --user --scope -p Delegate=yes referee ...",
    )
