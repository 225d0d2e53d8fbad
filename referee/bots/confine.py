"""The command line in front of a bot's own that locks it up, and the environment it gets. Nothing is started here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from referee.bots.limits import ProcessLimits
from referee.bots.manifest import search_path

SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")))
"""Where a system keeps its programs: seen by every bot, read-only."""

_ETC = (
    "alternatives",
    "ld.so.c*",
    "localtime",
    "nsswitch.conf",
    "passwd",
    "group",
    "hosts",
    "java-*",
    "mono",
    "ssl/certs",
    "ssl/openssl.cnf",
)
_ETC_NETWORK = (
    "resolv.conf",
    "host.conf",
    "gai.conf",
    "services",
    "protocols",
    "ca-certificates*",
    "pki/tls",
    "pip.conf",
    "npmrc",
    "maven",
)
_BUILD_ENVIRONMENT = (
    "PIP_",
    "NPM_CONFIG_",
    "npm_config_",
    "SSL_CERT_",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a process sees of this machine besides the system: everything else is not there."""

    folder: Path
    """Its own, where it starts."""
    shown: tuple[Path, ...] = ()
    """More that it may read: the socket's folder, an interpreter outside /usr."""
    building: bool = False
    """A build writes to the folder and uses the network."""


def command(level: str, argv: Iterable[str], cell: Cell, limits: ProcessLimits) -> list[str]:
    """Return the whole command line for ``argv`` at a level."""
    if level == "none":
        return list(argv)
    bounds = [f"--nofile={limits.files}", f"--fsize={limits.file_size}", "--core=0"]
    if level == "limits":
        return ["setpriv", "--pdeathsig=KILL", "--no-new-privs", "prlimit", *bounds, "--", *argv]
    if _counts_by_namespace():
        bounds.append(f"--nproc={limits.processes + overhead(level)}")
    return ["bwrap", *_walls(cell, limits), "--", "prlimit", *bounds, "--", *argv]


def overhead(level: str) -> int:
    """Return how many processes around a bot are not its own: bubblewrap, and the first process of its namespace."""
    return 2 if level == "bubblewrap" else 0


def environment(home: str, *, building: bool = False, **more: str) -> dict[str, str]:
    """Return the environment of a bot, an allow-list: no proxies, no tokens, nothing of the host's session.

    Builds fetch packages, and get the settings of pip, npm, certificates and proxies besides.
    """
    kept = {key: value for key, value in os.environ.items() if key in {"LANG", "TZ"} or key.startswith("LC_")}
    if building:
        kept |= {
            k: v for k, v in os.environ.items() if k.startswith(_BUILD_ENVIRONMENT) or k.lower().endswith("_proxy")
        }
    else:
        kept |= {
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "GRPC_ENABLE_FORK_SUPPORT": "0",
            "OMP_NUM_THREADS": "1",  # one bot, one core: a library that takes them all would slow the others down
            "OPENBLAS_NUM_THREADS": "1",
        }
    return {"LANG": "C.UTF-8"} | kept | {"PATH": search_path(), "HOME": home, "TMPDIR": home} | more


def _walls(cell: Cell, limits: ProcessLimits) -> list[str]:
    """Return bubblewrap's options. They are carried out in order: what is shown within /tmp is put on top of it."""
    walls = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    walls += ["--share-net"] if cell.building else ["--disable-userns"]
    for path in SYSTEM:
        if path.is_symlink():
            walls += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            walls += _show(path)
    for pattern in (*_ETC, *(_ETC_NETWORK if cell.building else ())):
        for path in Path("/etc").glob(pattern):
            walls += _show(path)
    room = str(limits.file_size)
    walls += ["--proc", "/proc", "--remount-ro", "/proc"]  # root outside may set the kernel's parameters from within
    walls += ["--dev", "/dev", "--size", room, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    walls += ["--size", room, "--tmpfs", "/tmp"]
    for path in cell.shown:
        walls += _show(path)
    walls += ["--bind" if cell.building else "--ro-bind", str(cell.folder), str(cell.folder)]
    return [*walls, "--remount-ro", "/", "--chdir", str(cell.folder)]


def _show(path: Path) -> list[str]:
    return ["--ro-bind", str(path), str(path)]


def _counts_by_namespace() -> bool:
    """Whether RLIMIT_NPROC counts the processes of a user namespace alone: since Linux 5.14, and never for root."""
    major, minor = (int(part) for part in os.uname().release.split(".")[:2])
    return (major, minor) >= (5, 14) and os.getuid() != 0
