"""A bot's build: a stranger's code like the bot itself, but it may write to its folder and use the network."""

from __future__ import annotations

import configparser
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots import confine, logs, process, roots
from referee.bots.limits import ProcessLimits
from referee.errors import BotError

if TYPE_CHECKING:
    from referee.bots.shelf import Bot

PATIENCE = 600.0
"""Seconds that a build may take."""
_LIMITS = ProcessLimits(processes=4096, files=4096, file_size=2 << 30)
_SETTINGS = {"PIP_CONFIG_FILE": "~/.config/pip/pip.conf", "NPM_CONFIG_USERCONFIG": "~/.npmrc"}
_SECRET = re.compile(r"_auth|_password|://[^/\s]*@")
_SOURCES = ("find-links", "index-url", "extra-index-url")
"""The settings of pip that say where packages are."""


def build(bot: Bot, command: list[str], level: str) -> None:
    """Run the build of a bot where it will stay. Raises BotError with the end of its output (``build.log`` has all)."""
    log, home = bot.folder.parent / "build.log", bot.folder.parent / "home"
    home.mkdir()
    settings = _settings()
    environment = confine.environment("/tmp" if level == "bubblewrap" else str(home), building=True, **settings)
    shown = (*roots.needed(bot.manifest.words()), *map(Path, settings.values()), *_mirrors(environment))
    confined = confine.command(level, command, confine.Cell(bot.folder, shown, building=True), _LIMITS)
    try:
        problem = process.run(confined, environment, bot.folder, log, PATIENCE)
    except OSError as error:
        problem = str(error)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if problem:
        what = f"bot {bot.name!r}: the build failed ({problem}): {' '.join(command)}"
        raise BotError(f"{what}\n{logs.tail(log, 4096)}", f"all of its output is in {log}")


def _settings() -> dict[str, str]:
    """Return the user's own settings of pip and npm (a mirror, say) as builds get them; not if they hold a password."""
    files = {key: Path(os.path.expanduser(name)) for key, name in _SETTINGS.items() if key not in os.environ}  # noqa: PTH111 - Path's raises without a home
    texts = {key: file.read_text(errors="replace") for key, file in files.items() if file.is_file()}
    return {key: str(files[key]) for key, text in texts.items() if not _SECRET.search(text)}


def _mirrors(environment: Mapping[str, str]) -> list[Path]:
    """Return the folders of this machine that pip gets packages from, for builds without the internet."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read(["/etc/pip.conf", environment.get("PIP_CONFIG_FILE", "")])
    except configparser.Error:
        return []  # pip will say so
    texts = [section.get(name, "") for section in parser.values() for name in _SOURCES]
    texts += [environment.get(f"PIP_{name.replace('-', '_').upper()}", "") for name in _SOURCES]
    sources = [Path(word.removeprefix("file://")) for text in texts for word in text.split()]
    folders = [
        source.parent if source.name == "simple" else source for source in sources
    ]  # an index's files are beside it
    return [folder for folder in folders if folder.is_absolute() and os.access(folder, os.R_OK)]
