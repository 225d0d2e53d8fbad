"""The referee's exceptions in one tree. Each says what, where and the next step. A *bot's* wrongs are in faults.py."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the process returns."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    BUG = 3
    INTERRUPTED = 130


class RefereeError(Exception):
    """Something the user can mend: ``str()`` says what and where, ``hint`` the next step."""

    exit = Exit.USAGE

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


class ConfigError(RefereeError):
    """A tournament file, an option or a command line that cannot be meant."""


class BotError(RefereeError):
    """A bot that cannot be played at all: no bot.toml, an unknown key, a command that is not there, a failed build."""


class ArenaError(RefereeError):
    """The arena folder or its database: missing, held by another process, from a newer version, damaged, disk full."""


class SandboxError(RefereeError):
    """The sandbox that the config requires is not to be had here."""


class VerifyError(RefereeError):
    """A record that does not play again as it stands."""

    exit = Exit.FINDINGS


class Interrupted(RefereeError):
    """Stopped by Ctrl-C or SIGTERM: everything finished is stored, and the hint is the command that resumes."""

    exit = Exit.INTERRUPTED


class WorkerLost(Exception):
    """A worker process died. Nobody's fault that plays: its blocks are played again."""


class GameVoid(Exception):
    """The referee failed a game (it was late itself, or a worker broke): it is played again under the same id."""
