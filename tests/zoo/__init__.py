"""Bots that misbehave, each in one way. `python3 tests/zoo/wire/bot.py --list` tells those of the protocol."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from referee.bots.manifest import load
from referee.bots.shelf import Bot

WIRE = Path(__file__).parent / "wire" / "bot.py"


def wire_bot(folder: Path, animal: str, name: str = "", **keys: object) -> Bot:
    """Return a bot of tests/zoo/wire in a folder of its own, as a host would have it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(WIRE, folder)  # a locked-up bot sees nothing outside its folder
    lines = {
        "name": name or animal,
        "version": "1",
        "games": ["six_nimmt"],
        "run": ["python3", WIRE.name, animal],
    } | keys
    (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
    manifest = load(folder)
    return Bot(manifest.name, manifest.version, animal, folder, manifest)
