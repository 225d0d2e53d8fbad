"""What a bot prints, in a file that cannot grow: its head and its tail are kept.

A file rather than a pipe: a bot never waits for the referee to read, and the referee never wakes for what a bot prints.
The file is at the bot's mercy: it may cut it while it is read and, below bubblewrap, remove it, close it to us or put
a folder, a link or a pipe in its place. So nothing here fails: what cannot be read is empty, what cannot be cut stays.
"""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from pathlib import Path

_CUT = b"\n[... too long: the middle is not kept ...]\n"


def trim(path: Path, cap: int) -> None:
    """Cut the middle out of a log that has grown to twice ``cap`` bytes. What is printed meanwhile may be lost."""
    half = cap // 2
    with suppress(OSError), open(path, "ab+", opener=_opener) as file:
        size = file.seek(0, os.SEEK_END)
        if size > 2 * cap:
            file.seek(size - half)
            tail = file.read(half)
            file.truncate(half)
            file.write(_CUT + tail)


def tail(path: Path, size: int) -> str:
    """Return about the last ``size`` bytes as text that is safe to show: no control codes but tabs and line ends."""
    text = ""
    with suppress(OSError), open(path, "rb", opener=_opener) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - size))
        text = file.read(size).decode(errors="replace")
    return "".join(c if c in "\n\t" or unicodedata.category(c) != "Cc" else "�" for c in text)


def _opener(path: str, flags: int) -> int:
    """Open a file of a bot's without following a link out of its folder, or waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
