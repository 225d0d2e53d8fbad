"""What a bot prints, in a file that cannot grow: its head and its tail are kept.

A file rather than a pipe: a bot never waits for the referee to read, and the referee never wakes for what a bot prints.
"""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from pathlib import Path

_CUT = b"\n[... too long: the middle is not kept ...]\n"


def trim(path: Path, cap: int) -> None:
    """Cut the middle out of a log that has grown to twice ``cap`` bytes. What is printed meanwhile may be lost."""
    half = cap // 2
    with suppress(FileNotFoundError), path.open("ab+") as file:  # below bubblewrap a bot may remove it all
        size = file.seek(0, 2)
        if size > 2 * cap:
            file.seek(-half, 2)
            tail = file.read(half)
            file.truncate(half)
            file.write(_CUT + tail)


def tail(path: Path, size: int) -> str:
    """Return about the last ``size`` bytes as text that is safe to show: no control codes but tabs and line ends."""
    text = ""
    with suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - size))
        text = file.read(size).decode(errors="replace")
    return "".join(c if c in "\n\t" or unicodedata.category(c) != "Cc" else "�" for c in text)
