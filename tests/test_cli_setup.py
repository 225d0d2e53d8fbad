"""Before anything is played: init, games, bot new, bot list, help."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from referee import config
from referee.bots import manifest
from referee.games import REGISTRY
from referee.store import Store
from tests.terminal import Terminal

README = Path(__file__).parent.parent / "README.md"


def commands(terminal: Terminal, *group: str) -> list[str]:
    """Return the commands that help lists, those of groups with their group's name."""
    listed = terminal.type(*group, "--help").out.partition("Commands:\n")[2]
    names = re.findall(r"(?m)^  (\w+)", listed)
    return [
        " ".join((*group, *words))
        for name in names
        for words in ([inner.split() for inner in commands(terminal, name)] if name in {"bot", "export"} else [[name]])
    ]


def test_every_command_is_in_the_readme(terminal: Terminal) -> None:
    listed = commands(terminal)
    assert {"run", "standings", "bot new", "export games", "doctor"} <= set(listed)
    text = README.read_text("utf-8")
    assert [name for name in listed if f"| `referee {name}" not in text] == []


def test_every_command_takes_an_arena_and_says_so(terminal: Terminal) -> None:
    for name in commands(terminal):
        assert "--arena DIR" in terminal.type(*name.split(), "--help").out, name


def test_the_arena_may_stand_before_and_after_the_command(terminal: Terminal) -> None:
    for words in (["--arena", "mine", "bot", "list"], ["bot", "list", "--arena", "mine"]):
        assert "mine: no arena here" in terminal.type(*words).err


def test_help_is_short_of_heavy_imports() -> None:
    listed = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "referee", "--help"], capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip() for line in listed.stderr.splitlines()}
    assert not imported & {"grpc", "trio", "numpy", "sqlite3", "msgspec", "google.protobuf", "rich.console", "jinja2"}


def test_data_and_messages_have_no_control_codes_when_piped() -> None:
    environment = os.environ | {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    for words in (["--help"], ["games"], ["standings", "--arena", "nowhere"], ["nonsense"]):
        said = subprocess.run(
            [sys.executable, "-m", "referee", *words], capture_output=True, text=True, env=environment, check=False
        )
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", said.stdout + said.stderr)


def test_init_makes_an_arena_and_a_file_that_loads(terminal: Terminal) -> None:
    said = terminal.type("init")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        "the arena is arena\n"
        "wrote tournament.toml\n"
        "next: write a bot with `referee bot new NAME`, or see the games with `referee games`\n"
    )
    assert config.load(terminal.folder / "tournament.toml").game in REGISTRY
    with Store.open(terminal.arena, write=False) as store:
        assert store.bots() == []


def test_init_leaves_a_file_that_is_there(terminal: Terminal) -> None:
    terminal.tournament("# mine")
    assert "tournament.toml is there already and stays as it is\n" in terminal.type("init").err
    assert "# mine" in (terminal.folder / "tournament.toml").read_text()


def test_the_file_that_init_writes_shows_every_setting_with_its_default(terminal: Terminal) -> None:
    terminal.type("init")
    text = (terminal.folder / "tournament.toml").read_text()
    shown = tomllib.loads(re.sub(r"(?m)^# (?=\w+ = |\[)", "", text))
    defaults = config.Config(name="tournament", game=shown["game"])
    tables = {"schedule": defaults.schedule, "time": defaults.time, "limits": defaults.limits}
    assert set(shown) == set(config.Config.__struct_fields__)
    for name, table in tables.items():
        assert set(shown[name]) == set(table.__struct_fields__)
        for key, value in shown[name].items():
            default = getattr(table, key)
            assert default is None or value == (default if type(default) in (int, str) else default.text), key
    assert (shown["seats"], shown["sandbox"]) == (defaults.seats, defaults.sandbox)


def test_games_as_data(terminal: Terminal) -> None:
    data = json.loads(terminal.type("games", "--format", "json").out)
    assert data["schema"] == "referee.games/1"
    listed = {(row["game"], row["option"]) for row in data["games"]}
    assert listed == {(name, option) for name, game in REGISTRY.items() for option in game.options.__struct_fields__}
    assert all(row["description"] for row in data["games"])


@pytest.mark.parametrize("name", REGISTRY)
def test_a_game_is_described(terminal: Terminal, name: str) -> None:
    out = terminal.type("games", name).out
    assert out.startswith(f"{name}: {REGISTRY[name].title}, ")
    for option in REGISTRY[name].options.__struct_fields__:
        assert f"\n  {option} = " in out


@pytest.mark.parametrize("name", ["mine", 'a "quoted" name', "Ünïcode 🐂"])
def test_bot_new_makes_a_bot_of_that_name(terminal: Terminal, name: str) -> None:
    said = terminal.type("bot", "new", name)
    assert said.code == 0
    assert f"next: change it, then `referee bot check {name}`" in said.err
    made = manifest.load(terminal.folder / name)
    assert made.name == name
    assert next(iter(REGISTRY)) in made.games


@pytest.mark.parametrize("game", REGISTRY)
def test_bot_new_makes_a_bot_for_every_game(terminal: Terminal, game: str) -> None:
    assert terminal.type("bot", "new", "mine", "--game", game).code == 0
    assert game in manifest.load(terminal.folder / "mine").games


def test_doctor_says_which_level_bots_get(terminal: Terminal) -> None:
    said = terminal.type("doctor")
    lines = said.out.splitlines()
    assert said.code == (0 if "bubblewrap works: " in said.out else 1)
    assert [line.split()[0] for line in lines if "works: " in line or "does not work: " in line][:3] == [
        "bubblewrap",
        "limits",
        "none",
    ]
    assert re.fullmatch(r'with sandbox = "auto", bots run at the level (bubblewrap|limits|none)', lines[-1])


def test_bot_new_overwrites_nothing(terminal: Terminal) -> None:
    terminal.bot("mine")
    said = terminal.type("bot", "new", "mine")
    assert (said.code, said.err) == (2, "error: mine is there already\nhint: choose another name\n")


def test_bot_list(terminal: Terminal) -> None:
    with Store.open(terminal.arena, write=True) as store:
        about = manifest.load(terminal.bot("a", 'pipe | "quote", 🐂'))
        store.add_bot(about.name, "1", "d" * 64, terminal.arena / "bots" / "x", msgspec.json.encode(about).decode())
    assert 'pipe | "quote", 🐂  1' in terminal.type("bot", "list").out
    assert '| pipe \\| "quote", 🐂 | 1 |' in terminal.type("bot", "list", "--format", "md").out
    assert '"pipe | ""quote"", 🐂",1,six_nimmt,' in terminal.type("bot", "list", "--format", "csv").out
    said = terminal.type("bot", "list", "--format", "json", "-o", "bots.json")
    assert (said.out, said.err) == ("", "wrote bots.json\n")
    data = json.loads((terminal.folder / "bots.json").read_text("utf-8"))
    assert data["schema"] == "referee.bots/1"
    assert data["bots"][0]["games"] == ["six_nimmt"]


def test_an_output_that_cannot_be_written(terminal: Terminal) -> None:
    said = terminal.type("games", "-o", "no/such/folder.txt")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: no/such/folder.txt: cannot be written: No such file or directory\n")
