"""bot.toml, and commands that cannot be started."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.bots import manifest, roots
from referee.bots.limits import ProcessLimits, granted
from referee.bots.shelf import Bot
from referee.config import Config
from referee.errors import BotError
from referee.tournament import setup_for

GOOD = {"name": '"nearest"', "games": '["six_nimmt"]', "run": '["python3", "main.py"]'}


def folder(path: Path, **keys: str) -> Path:
    (path / "bot.toml").write_text("".join(f"{key} = {value}\n" for key, value in (GOOD | keys).items() if value))
    return path


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    bot = manifest.load(folder(tmp_path))
    assert (bot.name, bot.version, bot.games, bot.run) == ("nearest", "1", ["six_nimmt"], ["python3", "main.py"])
    assert (bot.build, bot.concurrency, bot.limits) == (None, None, manifest.Wishes())


def test_commands_may_be_one_text(tmp_path: Path) -> None:
    bot = manifest.load(folder(tmp_path, run="\"java -jar 'my bot.jar'\"", build='"make && strip bot"'))
    assert bot.run == ["java", "-jar", "my bot.jar"]
    assert bot.build == ["/bin/sh", "-ec", "make && strip bot"]
    assert {"java", "make", "strip"} <= set(bot.words())


def test_limits_are_sizes_and_counts(tmp_path: Path) -> None:
    bot = manifest.load(folder(tmp_path, limits='{ memory = "1GB", processes = 200 }'))
    assert (bot.limits.memory, bot.limits.processes, bot.limits.files) == (1 << 30, 200, None)


def test_a_bot_that_asks_for_less_gets_less(tmp_path: Path) -> None:
    bot = manifest.load(folder(tmp_path, limits='{ memory = "64MB", processes = 8 }'))
    host = ProcessLimits(processes=8)
    assert granted(bot, host) == replace(host, memory=64 << 20)


@pytest.mark.parametrize(
    ("wish", "what"),
    [
        ('memory = "1GB"', "limits.memory = 1GB, but the host gives 512MB"),
        ("processes = 65", "limits.processes = 65, but the host gives 64"),
        ("files = 257", "limits.files = 257, but the host gives 256"),
    ],
)
def test_a_bot_that_asks_for_more_than_the_host_gives_is_refused(tmp_path: Path, wish: str, what: str) -> None:
    bot = manifest.load(folder(tmp_path, limits=f"{{ {wish} }}"))
    with pytest.raises(BotError) as raised:
        granted(bot, ProcessLimits())
    assert str(raised.value) == f"bot 'nearest': its bot.toml asks for {what}"
    assert "under [limits] of the tournament" in raised.value.hint
    tournament = Config(name="cup", game="six_nimmt")
    with pytest.raises(BotError, match="but the host gives"):
        setup_for(tournament, [Bot(bot.name, bot.version, "0" * 64, tmp_path, bot)], "none", tmp_path)


@pytest.mark.parametrize(
    ("keys", "what", "hint"),
    [
        ({"nmae": '"x"'}, "unknown key 'nmae'", "did you mean 'name'"),
        ({"limits": '{ memry = "1GB" }'}, "unknown key 'limits.memry'", "did you mean 'memory'"),
        ({"limits": '{ memory = "much" }'}, "limits.memory", ""),
        ({"limits": "{ files = 0 }"}, "limits.files is 0", "1 or more"),
        ({"name": ""}, "name", ""),
        ({"name": "7"}, "name", ""),
        ({"name": '" "'}, "name is no name", "1 to 200"),
        ({"name": f'"{"x" * 201}"'}, "name is no name", "1 to 200"),
        ({"name": '"\\u001b[2J"'}, "name is no name", "printed"),
        ({"version": '""'}, "version is no name", "1 to 200"),
        ({"games": "[]"}, "games is empty", "six_nimmt"),
        ({"run": "[]"}, "run is empty", "python3"),
        ({"run": '""'}, "run is empty", "python3"),
        ({"run": '"python3 \'main.py"'}, "run is no command", "list of words"),
        ({"build": "[]"}, "build is empty", "build ="),
        ({"concurrency": "0"}, "concurrency is 0", "1 or more"),
        ({"run": "python3 main.py"}, "not TOML", "quotes"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_where(
    tmp_path: Path, keys: dict[str, str], what: str, hint: str
) -> None:
    with pytest.raises(BotError) as raised:
        manifest.load(folder(tmp_path, **keys))
    assert str(tmp_path / "bot.toml") in str(raised.value)
    assert what in str(raised.value)
    assert hint in raised.value.hint


def test_a_folder_without_bot_toml_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"no bot\.toml in this folder"):
        manifest.load(tmp_path)


PRINTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cc", "Cs"]), st.sampled_from("\n\t")), min_size=1, max_size=200
).filter(str.strip)


@given(name=st.one_of(PRINTS, st.sampled_from(["a vs b", '"', "a,b\nc", "../../etc/passwd", "🃏👩‍👩‍👧", "x" * 200])))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_a_name_may_hold_anything_that_prints(tmp_path: Path, name: str) -> None:
    quoted = json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
    assert manifest.load(folder(tmp_path, name=quoted)).name == name


def script(path: Path, text: bytes, mode: int = 0o755) -> Path:
    path.write_bytes(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("run", "file", "what", "hint"),
    [
        ("no-such-program-here", None, "command not found", "install it"),
        ("bot.sh", b"#!/bin/sh\n", "command not found", "./bot.sh"),
        ("./bot.sh", None, "no such file", "correct `run`"),
        (".venv/bin/python", None, "no such file", "`build`"),
        ("./", None, "is a folder", "correct `run`"),
        ("./bot.sh", b"#!/no/such/interpreter\n", "interpreter is not here: #!/no/such/interpreter", "first line"),
        ("./bot.sh", b"#!/usr/bin/env -S no-such-node --x\n", "interpreter is not here", "first line"),
        ("./bot.sh", b"#!/bin/sh\r\n", "Windows", "first line"),
        ("./bot.sh", b"#!\n", "interpreter is not here", "first line"),
        ("./bot.sh", b"echo hello\n", "neither a program for this machine", "first line"),
        ("./bot.sh", b"MZ\x90\x00", "neither a program for this machine", "first line"),
    ],
)
def test_a_command_that_cannot_start_is_told_before_anything_is_played(
    tmp_path: Path, run: str, file: bytes | None, what: str, hint: str
) -> None:
    if file is not None:
        script(tmp_path / "bot.sh", file)
    bot = manifest.load(folder(tmp_path, run=json.dumps(run)))
    with pytest.raises(BotError) as raised:
        manifest.resolve(bot, tmp_path, os.defpath)
    assert "bot 'nearest'" in str(raised.value)
    assert what in str(raised.value)
    assert hint in raised.value.hint


def test_a_script_must_be_executable(tmp_path: Path) -> None:
    script(tmp_path / "bot.sh", b"#!/bin/sh\n", mode=0o644)
    with pytest.raises(BotError, match="not executable"):
        manifest.resolve(manifest.load(folder(tmp_path, run='"./bot.sh"')), tmp_path, os.defpath)


@pytest.mark.parametrize("line", [b"#!/bin/sh", b"#! /bin/sh -e", b"#!/usr/bin/env sh", b"#!/usr/bin/env -S sh -e"])
def test_a_command_that_can_start_is_found(tmp_path: Path, line: bytes) -> None:
    program = script(tmp_path / "bot.sh", line + b"\nexit 0\n")
    bot = manifest.load(folder(tmp_path, run='"./bot.sh"'))
    assert manifest.resolve(bot, tmp_path, os.defpath) == program
    assert manifest.resolve(manifest.load(folder(tmp_path, run='"sh"')), tmp_path, os.defpath).name == "sh"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose PATH holds a virtual environment, its Python, and a home's own bin."""
    home, base, venv = tmp_path / "home/me", tmp_path / "pythons/3.11", tmp_path / "project"
    packages = venv / "lib/python3.11/site-packages"
    for made in (base / "bin", base / "lib", packages, venv / "bin", venv / "arena", home / "bin", home / "secret"):
        made.mkdir(parents=True)
    script(base / "bin/tool3.11", b"\x7fELF")
    (base / "bin/tool").symlink_to("tool3.11")
    (venv / "bin/tool").symlink_to(base / "bin/tool")
    (venv / "pyvenv.cfg").write_text(f"home = {base}/bin\n")
    script(home / "bin/mine", b"#!/bin/sh\n")
    (tmp_path / "source/sdk").mkdir(parents=True)
    (tmp_path / "source/sdk/__init__.py").touch()
    (tmp_path / "source/notes").mkdir()
    (packages / "sdk.pth").write_text(f"{tmp_path}/source\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{venv}/bin:{home}/bin:/usr/bin:/bin")
    roots.needed.cache_clear()
    return tmp_path


def test_an_installation_is_shown_with_what_it_is_made_from(host: Path) -> None:
    shown = roots.needed(("tool", "mine", "sh", "main.py"))
    ours = {str(path.relative_to(host)) for path in shown if path.is_relative_to(host)}
    assert ours == {
        *("project/bin", "project/lib", "project/pyvenv.cfg"),
        *("pythons/3.11/bin", "pythons/3.11/lib"),
        *("home/me/bin/mine", "source/sdk"),
    }


def test_a_bot_cannot_name_what_it_is_shown(host: Path) -> None:
    theirs = host / "home/me/secret/bin/program"
    theirs.parent.mkdir()
    script(theirs, b"\x7fELF")
    bot = host / "bot"
    bot.mkdir()
    (bot / "linked").symlink_to(theirs)
    shown = roots.needed((str(theirs), "./linked", "../home/me/secret/bin/program"))
    assert not any(path.is_relative_to(host / "home") for path in shown)
    assert not roots.visible(bot / "linked", bot, shown)
    assert not roots.visible(theirs, bot, shown)
    assert roots.visible(host / "project/bin/tool", bot, roots.needed(("tool",)))
