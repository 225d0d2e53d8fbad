"""What a host writes, and what the referee says when it cannot be meant."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import config, games, toml
from referee.errors import ConfigError
from referee.toml import Duration, Size

MINIMAL = 'game = "six_nimmt"\n'


def load(folder: Path, text: str) -> config.Config:
    path = folder / "cup.toml"
    path.write_text(text, "utf-8")
    return config.load(path)


def refused(folder: Path, text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(folder, MINIMAL + text)
    assert str(caught.value).startswith(f"{folder / 'cup.toml'}: ")
    return caught.value


def test_only_the_game_must_be_said(tmp_path: Path) -> None:
    loaded = load(tmp_path, MINIMAL)
    assert (loaded.name, loaded.seats, loaded.bots, loaded.seed) == ("cup", 4, [], None)
    assert (loaded.time.start, loaded.time.move, loaded.time.free) == (10 * 10**9, 10**9, 10**8)
    assert loaded.limits.memory == 512 << 20
    assert loaded.options == games.load("six_nimmt").options()


def test_what_is_written_is_what_holds(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        MINIMAL
        + """
        name = "autumn-cup"
        seats = 3
        bots = ["bots/one", "two@2", "three"]
        seed = "s"
        options = { variant = "logic", max_deals = 2 }
        schedule = { format = "gauntlet", hero = "one", deals = 7, max_games = 21 }
        time = { start = "1m", move = "1.5s", free = "250us", bank = "0s" }
        limits = { memory = "1GB", thinkers = 2 }
        anchor = { bot = "two", elo = 1234 }
        sandbox = "require"
        """,
    )
    assert loaded.name == "autumn-cup"
    assert loaded.options == games.load("six_nimmt").options(variant="logic", max_deals=2)
    assert loaded.schedule == config.Schedule(format="gauntlet", hero="one", deals=7, max_games=21)
    assert (loaded.time.start, loaded.time.move, loaded.time.free) == (60 * 10**9, 1_500_000_000, 250_000)
    assert (loaded.limits.memory, loaded.limits.thinkers) == (1 << 30, 2)
    assert loaded.anchor == config.Anchor(bot="two", elo=1234.0)


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("seets = 4", "unknown key 'seets'", "did you mean 'seats'?"),
        ('time = { mvoe = "1s" }', "unknown key 'time.mvoe'", "did you mean 'move'?"),
        ('limits.memroy = "1GB"', "unknown key 'limits.memroy'", "did you mean 'memory'?"),
        ('options.varaint = "logic"', "unknown key 'options.varaint'", "did you mean 'variant'?"),
        ('options.variant = "logik"', "options.variant: invalid enum value 'logik'", "standard, tactical, logic"),
        ("options = 3", "options: expected a table, got 3", "{ key = value }"),
        ("time = 3", "time: expected a table, got a whole number", ""),
        ("time.move = 3", "time.move: 3 is no duration", ""),
        ('time.move = "3 parsecs"', "time.move: '3 parsecs' is no duration; write it like '250ms'", ""),
        ('time.move = "0s"', "time.move: no time at all", '"1s"'),
        ('limits.memory = "12"', "limits.memory: '12' is no size; write it like '512MB'", ""),
        ("limits.thinkers = 0", "limits.thinkers: expected a whole number >= 1", ""),
        ('seats = "4"', "seats: expected a whole number, got a text", ""),
        ("seats = 11", "seats = 11, but six_nimmt has 2 to 10 seats", "choose 2 to 10"),
        ("bots = [3]", "bots[0]: expected a text, got a whole number", ""),
        ('bots = ["a", "b", "a"]', "bots: 'a' is there twice", "once"),
        ('name = "a/b"', "name: 'a/b'", "letters"),
        ("anchor = { elo = 1500 }", "anchor.bot is missing", "anchor.bot = "),
        ('schedule = { format = "swiss" }', "schedule.format: invalid enum value 'swiss'", "round_robin, gauntlet"),
        ('schedule = { format = "gauntlet" }', "schedule: a gauntlet without a hero", "hero"),
        ('schedule.hero = "a"', "schedule.hero: 'a' would be ignored in a round_robin", "gauntlet"),
        ('time.free = "2s"', "time.free: 2s is more than move", "lower free"),
        ('time = { move = "10ms", bank = "1s" }', "time.bank: 1s would be ignored", "below move"),
        ("seed = four", "not TOML", "quotes"),
    ],
)
def test_a_mistake_is_told_with_its_file_key_and_next_step(tmp_path: Path, text: str, what: str, hint: str) -> None:
    error = refused(tmp_path, text)
    assert what in str(error)
    assert hint in error.hint


def test_an_unknown_game_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown game 'six_nimt'") as caught:
        load(tmp_path, 'game = "six_nimt"')
    assert caught.value.hint.startswith("did you mean 'six_nimmt'?")
    with pytest.raises(ConfigError, match="game is missing"):
        load(tmp_path, "seats = 4")


def test_an_option_that_the_seats_make_void_is_refused(tmp_path: Path) -> None:
    text = 'game = "ten"\noptions.automaton_level = 5\n'
    assert load(tmp_path, text + "seats = 1").seats == 1
    with pytest.raises(ConfigError, match="options: automaton_level would be ignored with 2 seats"):
        load(tmp_path, text + "seats = 2")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        config.load(tmp_path / "none.toml")
    (tmp_path / "cup.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(ConfigError, match="not a text in UTF-8"):
        config.load(tmp_path / "cup.toml")


def test_a_short_move_shortens_the_defaults_that_would_not_fit(tmp_path: Path) -> None:
    loaded = load(tmp_path, MINIMAL + 'time.move = "50ms"')
    assert (loaded.time.free.text, loaded.time.bank.text) == ("50ms", "0s")


@given(
    seats=st.integers(2, 10),
    bots=st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True),
    seed=st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    move=st.integers(1, 10**12),
    memory=st.integers(1, 1 << 40),
    variant=st.sampled_from(["standard", "tactical", "logic", "professional"]),
    anchor=st.none() | st.builds(config.Anchor, bot=st.just("a"), elo=st.floats(0, 4000)),
)
def test_printed_settings_and_stored_ones_load_to_the_same_config(  # noqa: PLR0917
    tmp_path_factory: pytest.TempPathFactory,
    seats: int,
    bots: list[str],
    seed: str | None,
    move: int,
    memory: int,
    variant: str,
    anchor: config.Anchor | None,
) -> None:
    folder = tmp_path_factory.mktemp("cup")
    written = load(folder, f'{MINIMAL}options.variant = "{variant}"\ntime.move = "{move}ns"\nseats = {seats}')
    written = msgspec.structs.replace(
        written, bots=bots, seed=seed, anchor=anchor, limits=config.Limits(memory=Size(memory))
    )
    assert load(folder, "\n".join(config.settings(written))) == written
    assert config.from_json(config.to_json(written), "arena.db") == written


def test_a_change_is_told_setting_by_setting(tmp_path: Path) -> None:
    old = load(tmp_path, MINIMAL)
    new = load(tmp_path, MINIMAL + 'time.move = "2s"\nanchor = { bot = "a" }\noptions.variant = "logic"')
    assert config.changed(old, old) == []
    assert config.changed(old, new) == [
        'options.variant was "standard", is now "logic"',
        "options.both_ends was false, is now true",
        'time.move was "1s", is now "2s"',
        'anchor.bot was left out, is now "a"',
        "anchor.elo was left out, is now 1500.0",
    ]


@pytest.mark.parametrize(("text", "ns"), [("10s", 10**10), ("100ms", 10**8), ("250us", 250_000), ("1m", 60 * 10**9)])
def test_durations(text: str, ns: int) -> None:
    assert Duration.parse(text) == ns
    assert Duration(ns).text == text


@given(st.integers(0, 10**15))
def test_a_quantity_reads_back_from_its_text(amount: int) -> None:
    assert Duration.parse(Duration(amount).text) == amount
    assert Size.parse(Size(amount).text) == amount


def test_did_you_mean_always_names_one() -> None:
    assert toml.did_you_mean("zzz", ["seats", "bots"]).startswith("did you mean '")
