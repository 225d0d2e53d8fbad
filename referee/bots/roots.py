"""What programs outside the system's folders must see in order to run: their installations, and nothing around them.

Only the host decides what is shown: it starts from programs on the PATH, never from a path that a bot writes into its
bot.toml, a ``#!`` line or a link, which could name any folder of the host's.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from referee.bots import manifest
from referee.bots.confine import SYSTEM

_PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "conf", "ssl", "pyvenv.cfg")
"""What an installation consists of: a virtual environment, or Python, Node, Java, Ruby in a folder of their own."""
_SHIMS = ("shims", "versions", "version", "plugins", "pyenv.d")
"""What pyenv and its kin have besides."""


@lru_cache(maxsize=1024)
def needed(words: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders and files to show, read-only, so that a command of these words can run.

    Those are the installations (a virtual environment and the Python it is made from, a version of pyenv, nvm or
    sdkman, ``/opt/x``) of every word that is a program on the PATH, and of the referee's own Python.
    """
    path = manifest.search_path()
    programs = {Path(found) for word in words if word and "/" not in word and (found := shutil.which(word, path=path))}
    programs |= {each for program in programs for each in manifest.interpreters(program, path) if each}
    programs.add(Path(sys.executable))
    shown = {part for program in programs for hop in _hops(program) for part in _installation(hop) if not _usual(part)}
    return tuple(sorted(part for part in shown if not any(parent in shown for parent in part.parents)))


def visible(program: Path, folder: Path, shown: tuple[Path, ...]) -> bool:
    """Whether a bot in ``folder`` that is shown this sees ``program``, and all that it links to."""
    return all(any(hop.is_relative_to(seen) for seen in (*SYSTEM, folder, *shown)) for hop in _hops(program))


def _usual(path: Path) -> bool:
    return any(path.is_relative_to(seen) for seen in SYSTEM)


def _hops(program: Path) -> Iterator[Path]:
    """Yield a program and what it links to, link by link: a virtual environment is at a link, not at its end."""
    yield program
    for _ in range(40):  # as many links as Linux follows
        if not program.is_symlink():
            break
        program = Path(os.path.normpath(program.parent / program.readlink()))
        yield program
    yield program.resolve()


def _installation(program: Path) -> Iterator[Path]:
    """Yield the parts of the installation of ``program``, and the sources that it uses in place."""
    root, home = program.parent.parent, Path(os.path.expanduser("~"))  # noqa: PTH111 - Path's raises without a home
    if program.parent.name not in {"bin", "shims"} or home.is_relative_to(root) or root == home / ".local":
        yield program
        return
    parts = _PARTS + _SHIMS if program.parent.name == "shims" else _PARTS
    yield from (root / part for part in parts if os.access(root / part, os.R_OK))
    base = re.search(r"^home\s*=\s*(.+?)\s*$", _text(root / "pyvenv.cfg"), re.MULTILINE)
    if base and Path(base[1]) != program.parent:
        yield from _installation(Path(base[1]) / program.name)
    for packages in root.glob("lib/python3*/site-packages"):
        yield from _in_place(packages)


def _in_place(packages: Path) -> Iterator[Path]:
    """Yield packages used where their sources are (``pip install -e``): they alone, not the folder around them."""
    for pth in packages.glob("*.pth"):
        for line in _text(pth).splitlines():
            source = packages / line.strip()
            if line.strip() and not line.startswith(("import ", "import\t", "#")) and os.access(source, os.R_OK):
                yield from (init.parent for init in source.glob("*/__init__.py"))
                yield from source.glob("*.py")
    for finder in packages.glob("__editable___*_finder.py"):
        yield from (Path(path) for path in re.findall(r"'(/[^']+)'", _text(finder)) if os.access(path, os.R_OK))


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
