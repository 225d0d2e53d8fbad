"""The bots that come with the referee: all play every variant of their games by the rules, none leaves its folder."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from referee_sdk import Bot

from referee import config, samples
from referee.bots import manifest
from referee.games import REGISTRY, AnyGame, load
from referee.v1.arena_pb2 import Ask, Clock
from tests.scripted_peer import Peer, ask, serving

ROOT = Path(__file__).parent.parent
SAMPLES = samples.folder()
JAVASCRIPT = SAMPLES / "javascript"
IN_PYTHON = [
    (folder.name, game)
    for game in REGISTRY
    for folder in samples.bots(game)
    if manifest.load(folder).run[0] == "python3"
]


def bot_class(folder: str, game: str) -> type[Bot]:
    """Import a bot.py without running it; several are called so, and one folder is called random."""
    spec = importlib.util.spec_from_file_location(f"sample_{folder}", SAMPLES / folder / "bot.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for budget in {"ROLLOUTS", "SAMPLES"} & vars(module).keys():
        setattr(module, budget, 10)  # how well it plays is not asked here
    (found,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value.__module__ == module.__name__
        and value.game == game
    )
    return found


def play(game: AnyGame, options: object, seats: int, make: type[Bot]) -> None:
    """Play a game against itself. ``check`` raises for whatever the rules refuse."""
    bots = [make() for _ in range(seats)]
    state = game.new(seats, options, Random(1))
    while asked := game.pending(state):
        choices = {}
        for seat in asked:
            legal = list(islice(game.legal(state, seat), 2))
            choice = legal[0]
            if len(legal) > 1:
                choice = type(legal[0])()
                bots[seat].see(Ask(seat=seat, clock=Clock(limit_us=1_000_000)), time.monotonic())  # type: ignore[arg-type] # the same message by another name
                bots[seat].decide(game.view(state, seat), choice)
                game.check(state, seat, choice)
            choices[seat] = choice
        state = game.apply(state, choices)


@pytest.mark.parametrize(("folder", "name"), IN_PYTHON)
def test_every_variant_by_the_rules(folder: str, name: str) -> None:
    game = load(name)
    for options in game.variants:
        for seats in {game.seats[0], 3}:
            play(game, options, seats, bot_class(folder, name))


def test_each_game_has_bots_of_several_strengths() -> None:
    assert {name for name, game in IN_PYTHON if game == "six_nimmt"} >= {"random", "lowest", "careful", "monte_carlo"}
    assert {name for name, game in IN_PYTHON if game == "ten"} >= {"random", "cautious", "odds", "rollout"}


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.toml")), ids=lambda file: file.name)
def test_tournaments_name_bots_that_play_their_game(file: Path) -> None:
    settings = config.load(file)
    for bot in settings.bots:
        assert settings.game in manifest.load(SAMPLES / bot).games


def test_the_javascript_bot_has_the_protocol_as_it_is() -> None:
    copies = {path.relative_to(JAVASCRIPT): path.read_text() for path in JAVASCRIPT.glob("proto/**/*.proto")}
    protos = {path.relative_to(ROOT): path.read_text() for path in ROOT.glob("proto/**/*.proto")}
    del protos[Path("proto/referee/v1/record.proto")]
    assert copies == protos, "copy proto/referee/v1/*.proto but record.proto to sample_bots/javascript/proto/referee/v1"


def test_the_javascript_bots_lock_names_no_host_to_install_from() -> None:
    packages = json.loads((JAVASCRIPT / "package-lock.json").read_text())["packages"]
    assert len(packages) > 10
    assert [name for name, package in packages.items() if "resolved" in package] == []


@pytest.fixture(scope="module")
def javascript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the bot's folder, built."""
    folder = tmp_path_factory.mktemp("javascript") / "bot"
    shutil.copytree(JAVASCRIPT, folder)
    build = manifest.load(folder).build
    assert build
    subprocess.run(build, cwd=folder, check=True)
    return folder


@pytest.fixture
def peer() -> Iterator[Peer]:
    with serving() as peer:
        yield peer


def test_the_javascript_bot_plays_every_variant_by_the_rules(javascript: Path, peer: Peer) -> None:
    """All variants over one stream, against itself: the process does not know whose seat it plays."""
    game = load("six_nimmt")
    peer.start(manifest.load(javascript).run, javascript)
    hello = peer.welcome().hello
    assert (hello.token, hello.protocol, list(hello.games)) == ("the token", 1, ["six_nimmt"])
    ids = 0
    for options in game.variants:
        state = game.new(3, options, Random(2))
        while asked := game.pending(state):
            peer.ask(*(ask(ids + seat, game.view(state, seat), seat=seat) for seat in asked))
            replies = {reply.ask_id - ids: reply.six_nimmt for reply in [peer.reply() for _ in asked]}
            for seat in asked:
                game.check(state, seat, replies[seat])
            state = game.apply(state, replies)
            ids += 3
    code, _, err = peer.end()
    assert (code, err) == (0, "")
