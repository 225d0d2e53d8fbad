"""What a program outside the system's folders must see in order to run: its installation, and nothing around it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from referee.bots import manifest
from referee.bots.confine import SYSTEM


@lru_cache(maxsize=1024)
def needed(program: Path, folder: Path) -> tuple[Path, ...]:
    """Return the folders and files to show, read-only, so that ``program`` of the bot in ``folder`` can run.

    That is the installation (a virtual environment and the Python it is made from, a version of pyenv, nvm or sdkman,
    ``/opt/x``) of the program, of the interpreter its first line names, and of the Python that is first on every bot's
    PATH. A program in a home's own ``bin`` is shown alone, and of an installation around ``folder`` itself (a virtual
    environment where the arena is) only what it consists of.
    """
    path = manifest.search_path()
    programs = [program, *(p for p in manifest.interpreters(program, path) if p), Path(sys.executable)]
    found = {
        shown
        for each in programs
        for hop in _hops(each)
        if not _seen(hop, folder)
        for shown in _installation(hop, folder)
    }
    return tuple(sorted(path for path in found if not any(parent in found for parent in path.parents)))


def _hops(program: Path) -> Iterator[Path]:
    """Yield a program and what it links to, link by link: a virtual environment is at a link, not its end."""
    yield program
    for _ in range(40):  # as many links as Linux follows
        if not program.is_symlink():
            break
        program = program.parent / program.readlink()
        yield program
    yield program.resolve()


def _seen(path: Path, folder: Path) -> bool:
    return any(path.is_relative_to(shown) for shown in (*SYSTEM, folder))


def _installation(program: Path, folder: Path) -> list[Path]:
    """Return the parts of the installation of ``program``, and the sources that it has installed in place."""
    root = program.parent.parent
    if (
        program.parent.name not in {"bin", "shims"}
        or Path.home().is_relative_to(root)
        or root == Path.home() / ".local"
    ):
        return [program]
    whole = not folder.is_relative_to(root)
    parts = [root] if whole else [p for name in ("bin", "lib", "lib64", "pyvenv.cfg") if (p := root / name).exists()]
    base = re.search(r"^home\s*=\s*(.+?)\s*$", _text(root / "pyvenv.cfg"), re.MULTILINE)
    if base and not _seen(Path(base[1]), folder):
        parts += _installation(Path(base[1]) / program.name, folder)
    for packages in root.glob("lib/python3*/site-packages"):
        parts += _in_place(packages)
    return parts


def _in_place(packages: Path) -> Iterator[Path]:
    """Yield packages used where their sources are (``pip install -e``): they alone, not the folder around them."""
    for pth in packages.glob("*.pth"):
        for line in _text(pth).splitlines():
            source = packages / line.strip()
            if line.strip() and not line.startswith(("import ", "import\t", "#")) and source.is_dir():
                yield from (init.parent for init in source.glob("*/__init__.py"))
                yield from source.glob("*.py")
    for finder in packages.glob("__editable___*_finder.py"):
        yield from (p for text in re.findall(r"'(/[^']+)'", _text(finder)) if (p := Path(text)).exists())


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
