"""A terminal to type commands at, and bots to name in them."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.cli import main

MINIMAL = 'name = "cup"\ngame = "six_nimmt"\n'


@dataclass(frozen=True)
class Said:
    """What came of a command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Terminal:
    """Runs commands in this process, in a folder of its own. The arena is ``arena`` in it."""

    folder: Path
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    @property
    def arena(self) -> Path:
        return self.folder / "arena"

    def type(self, *words: str) -> Said:
        """Run ``referee`` with these arguments."""
        self.capture.readouterr()
        self.patch.setattr(sys, "argv", ["referee", *words])
        self.patch.setenv("REFEREE_ARENA", "arena")
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self.capture.readouterr()
        code = ended.value.code
        return Said(code if isinstance(code, int) else 0, out, err)

    def bot(self, folder: str, name: str | None = None, *, games: str = "six_nimmt") -> Path:
        """Write a bot's folder. It is never started."""
        path = self.folder / folder
        path.mkdir(parents=True)
        name = json.dumps(name or path.name, ensure_ascii=False)
        (path / "bot.toml").write_text(f'name = {name}\ngames = ["{games}"]\nrun = ["python3", "bot.py"]\n', "utf-8")
        (path / "bot.py").touch()
        return path

    def tournament(self, text: str) -> None:
        """Write tournament.toml: a name, a game and ``text``."""
        (self.folder / "tournament.toml").write_text(MINIMAL + text, "utf-8")


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Give a terminal in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Terminal(tmp_path, monkeypatch, capsys)
