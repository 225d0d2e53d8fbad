"""Bad input: what, where and the next step; the exit code; nothing lost."""

from __future__ import annotations

import os
import sqlite3

import pytest

from referee import config, tournament
from referee.entrants import gather
from referee.store import Store
from tests.terminal import Terminal


def enter(terminal: Terminal) -> None:
    """Begin the tournament of tournament.toml without playing a game."""
    file = terminal.folder / "tournament.toml"
    settings = config.load(file)
    with Store.open(terminal.arena, write=True) as store:
        tournament.enter(settings, gather(settings, file, store, "none"), store)


def refused(terminal: Terminal, *words: str) -> str:
    """Run a command that is refused, and return what it says."""
    said = terminal.type(*words)
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err
    return said.err


def test_no_bots(terminal: Terminal) -> None:
    terminal.tournament("")
    err = refused(terminal, "run")
    assert (
        "error: tournament.toml: no bots: none are listed, and none that plays six_nimmt was submitted to arena\n"
        "hint: list folders in bots, or submit some with `referee submit DIR`\n"
    ) in err


def test_one_bot(terminal: Terminal) -> None:
    terminal.bot("lonely")
    terminal.tournament('bots = ["lonely"]')
    assert "error: tournament.toml: one bot, lonely: nobody to play against\nhint: add a bot\n" in refused(
        terminal, "run"
    )


def test_more_seats_than_bots(terminal: Terminal) -> None:
    for name in "abc":
        terminal.bot(name)
    terminal.tournament('bots = ["a", "b", "c"]\nseats = 4')
    assert (
        "error: tournament.toml: seats: 4 at a table, but 3 bots: a, b, c\nhint: set seats = 3 or add bots\n"
    ) in refused(terminal, "run")


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ('game = "six_nimt"', "tournament.toml: game: unknown game 'six_nimt'", "did you mean 'six_nimmt'?"),
        ("options.variat = 1", "tournament.toml: unknown key 'options.variat'", "did you mean 'variant'?"),
        ("seets = 4", "tournament.toml: unknown key 'seets'", "did you mean 'seats'?"),
        ("bots = [", "tournament.toml: not TOML", ""),
    ],
)
def test_unknown_games_options_and_keys(terminal: Terminal, text: str, what: str, hint: str) -> None:
    (terminal.folder / "tournament.toml").write_text(text if text.startswith("game") else f'game = "six_nimmt"\n{text}')
    err = refused(terminal, "run")
    assert err.startswith(f"error: {what}")
    assert hint in err


def test_a_folder_without_bot_toml(terminal: Terminal) -> None:
    (terminal.folder / "empty").mkdir()
    terminal.bot("whole")
    terminal.tournament('bots = ["empty", "whole"]\nseats = 2')
    assert "empty: no bot.toml in this folder\nhint: `referee bot new` writes one\n" in refused(terminal, "run")


def test_an_entry_that_is_neither_folder_nor_submitted(terminal: Terminal) -> None:
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    assert "error: 'a' is no folder in ., and no bot 'a' was submitted to arena\n" in refused(terminal, "run")


def test_a_bot_of_another_game(terminal: Terminal) -> None:
    terminal.bot("chess", games="chess")
    terminal.bot("whole")
    terminal.tournament('bots = ["chess", "whole"]\nseats = 2')
    assert "error: bot 'chess' does not play six_nimmt: its bot.toml lists chess\n" in refused(terminal, "run")


def test_a_bot_whose_command_is_not_there(terminal: Terminal) -> None:
    folder = terminal.bot("a")
    (folder / "bot.toml").write_text('name = "a"\ngames = ["six_nimmt"]\nrun = ["no-such-command"]\n')
    terminal.bot("b")
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    err = refused(terminal, "run")
    assert "bot 'a'" in err
    assert "'no-such-command'" in err


def test_two_bots_of_one_name_and_where_both_came_from(terminal: Terminal) -> None:
    terminal.bot("one", "twin")
    terminal.bot("two", "twin")
    terminal.tournament('bots = ["one", "two"]\nseats = 2')
    assert "error: two bots are named 'twin': folder one and folder two\n" in refused(terminal, "run")


def test_names_that_differ_in_case_only_are_two_names(terminal: Terminal) -> None:
    terminal.bot("one", "Twin")
    terminal.bot("two", "twin")
    terminal.tournament('bots = ["one", "two"]\nseats = 2')
    enter(terminal)


@pytest.mark.parametrize("text", ['schedule = { format = "gauntlet", hero = "aa" }', 'anchor = { bot = "aa" }'])
def test_a_hero_or_an_anchor_that_takes_no_part(terminal: Terminal, text: str) -> None:
    terminal.bot("a")
    terminal.bot("b")
    terminal.tournament(f'bots = ["a", "b"]\nseats = 2\n{text}')
    err = refused(terminal, "run")
    assert "no bot 'aa' takes part\nhint: did you mean 'a'? Known: a, b\n" in err


def test_settings_or_bots_that_changed_since_the_run_began(terminal: Terminal) -> None:
    terminal.bot("a")
    terminal.bot("b")
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    enter(terminal)
    terminal.tournament('bots = ["a", "b"]\nseats = 2\ntime.move = "3s"')
    assert 'time.move was "1s", is now "3s"' in refused(terminal, "run")
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    (terminal.folder / "b" / "bot.py").write_text("changed = True")
    assert "bot b was 1 (" in refused(terminal, "run")


def test_an_arena_that_another_process_holds(terminal: Terminal) -> None:
    terminal.bot("a")
    terminal.bot("b")
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    with Store.open(terminal.arena, write=True):
        assert f"error: arena: held by process {os.getpid()}\n" in refused(terminal, "run")


@pytest.mark.parametrize("command", [["standings"], ["run"], ["bot", "list"], ["verify"], ["export", "games"]])
def test_a_database_from_a_newer_version(terminal: Terminal, command: list[str]) -> None:
    terminal.tournament("")
    with Store.open(terminal.arena, write=True):
        pass
    database = sqlite3.connect(terminal.arena / "arena.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    assert "written by a newer referee (version 99" in refused(terminal, *command)


@pytest.mark.parametrize("command", [["standings"], ["faults"], ["verify"], ["bot", "list"], ["replay", "a/0/0/0"]])
def test_no_arena(terminal: Terminal, command: list[str]) -> None:
    assert "arena: no arena here\n" in refused(terminal, *command)
    assert not terminal.arena.exists()


def test_no_tournament_and_several(terminal: Terminal) -> None:
    with Store.open(terminal.arena, write=True):
        pass
    assert "no tournament has begun here" in refused(terminal, "standings")
    for name in "ab":
        terminal.bot(name)
    terminal.tournament('bots = ["a", "b"]\nseats = 2')
    enter(terminal)
    assert "error: arena: no tournament 'cap'\nhint: did you mean 'cup'? Known: cup\n" in refused(
        terminal, "verify", "cap"
    )


def test_an_unknown_command_names_the_nearest(terminal: Terminal) -> None:
    assert "No such command 'standigs'. Did you mean 'standings'?" in refused(terminal, "standigs")
    assert "No such command 'chek'. Did you mean 'check'?" in refused(terminal, "bot", "chek")


def test_play_says_what_it_needs(terminal: Terminal) -> None:
    assert "error: referee play: seats = 1, but six_nimmt has 2 to 10 seats\n" in refused(terminal, "play", "a")
    assert "error: --option variant: no value\n" in refused(terminal, "play", "a", "b", "--option", "variant")
    err = refused(terminal, "play", "a", "b", "--option", "variant=logik")
    assert "error: --option: options.variant: invalid enum value 'logik'\n" in err


def test_a_bug_is_one_line_and_a_traceback_only_with_debug(terminal: Terminal) -> None:
    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the sky")

    terminal.patch.setattr(Store, "open", bug)
    said = terminal.type("standings")
    assert (said.code, said.err) == (
        3,
        "error: a bug in the referee: ZeroDivisionError: the sky\nhint: run with --debug for the traceback\n",
    )
    for words in (["--debug", "standings"], ["standings", "--debug"]):
        said = terminal.type(*words)
        assert said.code == 3
        assert said.err.startswith("Traceback")
