"""The shelf: a read-only copy of every bot that plays, by the digest of its content.

``bots/<digest>/`` in the arena holds ``bot/`` (the copy, built), ``build.log``, and ``ready``, which is written last: a
copy without it is half made and does not count. A build happens where the copy stays, since what it makes (a virtual
environment) holds its own path.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.bots import manifest
from referee.bots.build import build
from referee.bots.manifest import Manifest
from referee.errors import BotError

_NEVER = frozenset({".git", ".venv", "__pycache__"})
"""Not the bot itself: and a virtual environment does not survive a move."""
_MADE = _NEVER | {"node_modules"}


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as it plays: ``folder`` does not change any more; ``digest`` is the SHA-256 of what was submitted."""

    name: str
    version: str
    digest: str
    folder: Path
    manifest: Manifest


def shelve(arena: Path, source: Path, level: str) -> Bot:
    """Return the bot in ``source``, copied to the arena's shelf and built there at a level of the sandbox.

    The same content is built once. Not copied are ``.git``, ``.venv`` and ``__pycache__``, nor ``node_modules`` if
    there is a build to make it. Raises BotError for a folder that holds no bot, a link out of it, a failed build, a
    command that cannot be started.
    """
    about = manifest.load(source)
    shelf = arena.resolve() / "bots"
    shelf.mkdir(parents=True, exist_ok=True)
    with _locked(shelf):
        incoming = shelf / "incoming"
        _remove(incoming)
        _copy(source, incoming, _MADE if about.build else _NEVER)
        about, digest = manifest.load(incoming), _digest(incoming)  # of the copy: the source may be changing
        place = shelf / digest[:16]
        bot = Bot(about.name, about.version, digest, place / "bot", about)
        if (place / "ready").exists():
            _remove(incoming)
            return bot
        _remove(place)
        place.mkdir()
        incoming.rename(bot.folder)
        if about.build:
            build(bot, about.build, level)
        manifest.resolve(about, bot.folder, manifest.search_path())
        _chmod(bot.folder, lambda mode: mode & 0o555)
        (place / "ready").touch()
    return bot


def _copy(source: Path, copy: Path, skipped: frozenset[str]) -> None:
    """Copy a folder. Modes become the same for all, but for the owner's right to execute."""
    try:
        shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(*skipped))
    except shutil.Error as error:
        path, _, why = error.args[0][0]
        raise BotError(
            f"{path}: cannot be copied: {why}", "a bot consists of files and folders that can be read"
        ) from error
    for path in copy.rglob("*"):
        if path.is_symlink() and not path.resolve().is_relative_to(copy):
            raise BotError(
                f"{source / path.relative_to(copy)}: a link out of the bot's folder, to {path.readlink()}",
                "put the file itself there: only what is in the folder is submitted",
            )
    _chmod(copy, lambda mode: 0o755 if mode & 0o100 else 0o644)


def _digest(folder: Path) -> str:
    """Return the SHA-256 over every file's path, kind and content, by path; before each part is its length."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            kind, content = b"link", os.fsencode(path.readlink())
        elif path.is_file():
            kind, content = (b"program" if os.access(path, os.X_OK) else b"file"), path.read_bytes()
        else:
            continue
        for part in (os.fsencode(path.relative_to(folder)), kind, content):
            whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()


def _chmod(folder: Path, change: Callable[[int], int]) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(change(path.stat().st_mode))


def _remove(folder: Path) -> None:
    """Remove a folder and all in it, read-only or not."""
    if folder.exists():
        for path, _, _ in os.walk(folder):
            Path(path).chmod(0o700)
        shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the shelf: one at a time copies and builds."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
