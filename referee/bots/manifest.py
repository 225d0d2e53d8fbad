"""bot.toml: what a bot's folder says of itself, and whether its command can be started at all."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import unicodedata
from pathlib import Path

import msgspec

from referee import toml
from referee.errors import BotError, ConfigError

FILE = "bot.toml"
LONGEST_NAME = 200


class Wishes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[limits]``: what the bot asks for; the host's config decides."""

    memory: toml.Size | None = None
    processes: int | None = None
    files: int | None = None


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot.toml. ``name`` may hold anything that prints, so it is never part of a path."""

    name: str
    games: list[str]
    run: list[str]
    version: str = "1"
    build: list[str] | None = None
    concurrency: int | None = None
    """Games that one process plays at a time; no limit of the bot's own if left out."""
    limits: Wishes = Wishes()

    def words(self) -> tuple[str, ...]:
        """Return the words of its commands, of a shell's line too: some of them are programs."""
        return tuple(
            word for part in (*self.run, *(self.build or ())) for word in re.split(r"[\s;&|()]+", part) if word
        )


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The keys as people write them: a command is a list of words, or one text."""

    name: str
    games: list[str]
    run: list[str] | str
    version: str = "1"
    build: list[str] | str | None = None
    concurrency: int | None = None
    limits: Wishes = Wishes()


def load(folder: Path) -> Manifest:
    """Return what ``folder``/bot.toml says.

    ``run`` as one text is split into words as a shell does; ``build`` as one text is a line that ``sh`` runs. Raises
    BotError, with the file, the key and the nearest known key, for whatever cannot be meant.
    """
    path = folder / FILE
    if not path.is_file():
        raise BotError(f"{folder}: no {FILE} in this folder", "`referee bot new` writes one")
    try:
        file = toml.convert(toml.read(path), _File, str(path))
    except ConfigError as error:
        raise BotError(str(error), error.hint) from error
    if problem := _problem(file):
        raise BotError(f"{path}: {problem[0]}", problem[1])
    return Manifest(
        name=file.name,
        games=file.games,
        run=file.run if isinstance(file.run, list) else shlex.split(file.run),
        version=file.version,
        build=["/bin/sh", "-ec", file.build] if isinstance(file.build, str) else file.build,
        concurrency=file.concurrency,
        limits=file.limits,
    )


def _problem(file: _File) -> tuple[str, str] | None:
    """Return what is wrong with values of the right type, and the next step."""
    for key, text in (("name", file.name), ("version", file.version)):
        if not text.strip() or len(text) > LONGEST_NAME or any(map(_unprintable, text)):
            return f"{key} is no name: {text[:LONGEST_NAME]!r}", f"1 to {LONGEST_NAME} characters that can be printed"
    if not file.games:
        return "games is empty", 'list the games that the bot plays: games = ["six_nimmt"]'
    if isinstance(file.run, str):
        try:
            shlex.split(file.run)
        except ValueError as error:
            return f"run is no command: {error}", 'a list of words needs no quoting: run = ["python3", "main.py"]'
    for key, command in (("run", file.run), ("build", file.build)):
        if command is not None and not (command.strip() if isinstance(command, str) else command and command[0]):
            return f"{key} is empty", f'{key} is a command: {key} = ["python3", "main.py"]'
    wishes = {
        "concurrency": file.concurrency,
        **{f"limits.{k}": v for k, v in msgspec.structs.asdict(file.limits).items()},
    }
    for key, value in wishes.items():
        if value is not None and value < 1:
            return f"{key} is {value}", f"{key} is 1 or more"
    return None


def _unprintable(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"} and character not in "\n\t"


def search_path() -> str:
    """Return the PATH of every bot: the referee's own Python first, then the host's PATH."""
    host = os.environ.get("PATH", os.defpath)
    return os.pathsep.join([str(Path(sys.executable).parent), host])


def resolve(manifest: Manifest, folder: Path, path: str) -> Path:
    """Return the program that ``manifest.run`` starts: a path in ``folder``, or a name looked up on ``path``.

    Raises BotError, naming the bot, when there is none, it cannot be executed, or the interpreter in its first line is
    not there: what ``execve`` would say in a word, before anything is played.
    """
    command = manifest.run[0]
    who = f"bot {manifest.name!r}: {command!r}"
    if "/" in command:
        program = folder / command
    else:
        found = shutil.which(command, path=path)
        if found is None:
            in_folder = (folder / command).is_file()
            hint = f"write './{command}'" if in_folder else "install it, or correct `run` in bot.toml"
            raise BotError(f"{who}: command not found on the PATH", hint)
        program = Path(found)
    if not program.is_file():
        what = "is a folder, not a program" if program.is_dir() else f"there is no such file in {folder}"
        raise BotError(
            f"{who}: {what}", "correct `run` in bot.toml; what a build makes (.venv, say) needs a `build` there"
        )
    if not os.access(program, os.X_OK):
        raise BotError(f"{who}: not executable", f"chmod +x {shlex.quote(command)}")
    for interpreter in interpreters(program, path):
        if interpreter is None:
            raise BotError(f"{who}: {_first_line_problem(program)}", "correct the first line of the file")
    return program


def interpreters(program: Path, path: str) -> list[Path | None]:
    """Return the programs that the ``#!`` line of ``program`` names, as found; None stands for one that is not there.

    An ELF file has none; a file that is neither is itself a missing interpreter.
    """
    try:
        with program.open("rb") as file:
            head = file.read(256)
    except OSError:
        return []  # executable but not readable: the kernel can run it
    if head.startswith(b"\x7fELF"):
        return []
    if not head.startswith(b"#!"):
        return [None]
    words = os.fsdecode(head[2:].split(b"\n")[0]).split(" ")
    words = [word for word in words if word]
    if not words or not os.access(words[0], os.X_OK):
        return [None]
    found: list[Path | None] = [Path(words[0])]
    if Path(words[0]).name == "env":
        name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        which = shutil.which(name, path=path)
        found.append(Path(which) if which else None)
    return found


def _first_line_problem(program: Path) -> str:
    with program.open("rb") as file:
        line = file.read(256).split(b"\n")[0]
    if not line.startswith(b"#!"):
        return "neither a program for this machine nor a script with a #! line"
    if line.endswith(b"\r"):
        return "its #! line ends as on Windows, and no interpreter has such a name"
    return f"its interpreter is not here: {line.decode(errors='replace')}"
