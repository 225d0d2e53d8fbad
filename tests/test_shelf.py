"""The shelf: copies of bots that do not change any more."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

from referee.bots import build, sandbox
from referee.bots.shelf import Bot, shelve
from referee.errors import BotError
from tests.toolchain import need


@pytest.fixture(params=["bubblewrap", "limits", "none"])
def level(request: pytest.FixtureRequest) -> str:
    if request.param == "bubblewrap":
        need("bwrap", sandbox.INSTALL)
    return str(request.param)


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    return tmp_path / "arena"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The folder of a bot as its author has it."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "main.py").write_text("print('hello')\n")
    write(folder)
    return folder


def write(folder: Path, **keys: object) -> None:
    about = {"name": "nearest", "version": "2", "games": ["six_nimmt"], "run": ["python3", "main.py"]} | keys
    (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in about.items()))


def files(bot: Bot) -> set[str]:
    return {str(path.relative_to(bot.folder)) for path in bot.folder.rglob("*") if not path.is_dir()}


def test_a_bot_is_copied_and_does_not_change(arena: Path, source: Path) -> None:
    bot = shelve(arena, source, "none")
    (source / "main.py").write_text("print('changed')\n")
    assert (bot.name, bot.version, len(bot.digest)) == ("nearest", "2", 64)
    assert bot.folder.is_relative_to(arena / "bots" / bot.digest[:16])
    assert (bot.folder / "main.py").read_text() == "print('hello')\n"
    assert all(path.stat().st_mode & 0o222 == 0 for path in (bot.folder, *bot.folder.rglob("*")))


def test_the_same_content_is_built_once(arena: Path, source: Path) -> None:
    write(source, build="date +%s%N >built")
    bot = shelve(arena, source, "none")
    built = (bot.folder / "built").read_text()
    os.utime(source / "main.py", (0, 0))
    assert shelve(arena, source, "none") == bot
    assert (bot.folder / "built").read_text() == built


@pytest.mark.parametrize("change", ["content", "name", "mode", "link", "boundary"])
def test_other_content_is_another_bot(arena: Path, source: Path, change: str) -> None:
    (source / "a").write_text("b")
    (source / "to").symlink_to("a")
    first = shelve(arena, source, "none")
    match change:
        case "content":
            (source / "a").write_text("c")
        case "name":
            (source / "a").rename(source / "c")
            (source / "c").rename(source / "d")
            (source / "to").unlink()
            (source / "to").symlink_to("d")
        case "mode":
            (source / "a").chmod(0o755)
        case "link":
            (source / "to").unlink()
            (source / "to").symlink_to("main.py")
        case "boundary":
            (source / "a").rename(source / "ab")
            (source / "ab").write_text("")
            (source / "to").unlink()
            (source / "to").symlink_to("ab")
    second = shelve(arena, source, "none")
    assert second.digest != first.digest
    assert first.folder.exists()


def test_what_a_build_makes_is_not_copied(arena: Path, source: Path) -> None:
    for name in (".git", ".venv", "__pycache__", "node_modules"):
        (source / "package" / name).mkdir(parents=True)
        (source / "package" / name / "file").touch()
    assert files(shelve(arena, source, "none")) == {"bot.toml", "main.py", "package/node_modules/file"}
    write(source, build=["true"])
    assert files(shelve(arena, source, "none")) == {"bot.toml", "main.py"}


@pytest.mark.parametrize("target", ["/etc/passwd", "../elsewhere", "{source}/main.py"])
def test_a_link_out_of_the_folder_is_refused(arena: Path, source: Path, target: str) -> None:
    (source / "link").symlink_to(target.format(source=source))
    with pytest.raises(BotError, match="link: a link out of the bot's folder"):
        shelve(arena, source, "none")


def test_a_link_within_the_folder_is_kept(arena: Path, source: Path) -> None:
    (source / "link").symlink_to("main.py")
    bot = shelve(arena, source, "none")
    assert (bot.folder / "link").readlink() == Path("main.py")


def test_a_pipe_is_no_part_of_a_bot(arena: Path, source: Path) -> None:
    os.mkfifo(source / "pipe")
    with pytest.raises(BotError, match="pipe"):
        shelve(arena, source, "none")


def test_a_build_writes_to_its_folder_alone(arena: Path, source: Path, level: str) -> None:
    write(source, build=f"echo made >made; echo $HOME; touch {arena}/bots/escaped || true")
    bot = shelve(arena, source, level)
    assert (bot.folder / "made").read_text() == "made\n"
    assert (arena / "bots/escaped").exists() is (level != "bubblewrap")


def test_a_build_makes_a_virtual_environment_that_runs(arena: Path, source: Path, level: str) -> None:
    write(source, run=[".venv/bin/python", "main.py"], build="python3 -m venv --without-pip .venv")
    bot = shelve(arena, source, level)
    done = subprocess.run([".venv/bin/python", "main.py"], cwd=bot.folder, capture_output=True, text=True, check=True)
    assert done.stdout == "hello\n"


def test_a_failed_build_shows_the_end_of_its_output(arena: Path, source: Path, level: str) -> None:
    write(source, build="echo the compiler is unhappy; exit 7; echo not reached")
    for _ in range(2):  # a failure is not remembered as a success
        with pytest.raises(BotError, match=r"'nearest': the build failed \(exit code 7\)") as raised:
            shelve(arena, source, level)
        assert "the compiler is unhappy" in str(raised.value)
        assert Path(raised.value.hint.split()[-1]).read_text() == "the compiler is unhappy\n"


def test_a_build_that_hangs_is_killed(arena: Path, source: Path, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "PATIENCE", 0.2)
    write(source, build="sleep 600 & sleep 600")
    with pytest.raises(BotError, match=r"not done after 0\.2 s"):
        shelve(arena, source, level)


def test_a_command_that_is_not_there_after_the_build_is_told(arena: Path, source: Path) -> None:
    write(source, run=["./bot"], build=["true"])
    with pytest.raises(BotError, match="no such file"):
        shelve(arena, source, "none")


def test_what_was_left_half_made_does_not_count(arena: Path, source: Path) -> None:
    bot = shelve(arena, source, "none")
    (bot.folder.parent / "ready").unlink()
    bot.folder.chmod(0o755)
    (bot.folder / "main.py").unlink()
    (bot.folder / "half").touch()
    (arena / "bots/incoming/half").mkdir(parents=True)
    assert shelve(arena, source, "none") == bot
    assert files(bot) == {"bot.toml", "main.py"}


def test_two_who_shelve_at_once_get_one_bot(arena: Path, source: Path) -> None:
    write(source, build="date +%s%N >>built")
    found: list[Bot] = []
    threads = [threading.Thread(target=lambda: found.append(shelve(arena, source, "none"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(map(id, found))) == 4
    assert len({bot.folder for bot in found}) == 1
    assert len((found[0].folder / "built").read_text().splitlines()) == 1
