"""Exported games: what another program needs to check every rule, and nothing that tells deals to come."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee import faults
from referee.games import REGISTRY, load
from referee.report.games import exported
from referee.schedule import Pairing
from referee.v1.record_pb2 import GameRecord
from tests import made

SEED = b"the seed of the deal"
VARIANTS = [(name, options) for name, game in REGISTRY.items() for options in game.variants]
KEYS = {
    "draft": {"card"},
    "play_card": {"card"},
    "choose_row": {"row"},
    "choose_end": {"row"},
    "draw_or_stop": {"action"},
    "bid": {"amount"},
    "pay": {"payment"},
    "buy": {"card", "payment"},
    "bust_choice": {"choice"},
}
"""What a choice of each kind says."""


def cup(game: str = "six_nimmt", seats: int = 3, **settings: Any) -> GameRecord:
    return made.refereed(Pairing("cup/4/0/1", 1, tuple("abcdefghij"[:seats])), SEED, game=game, **settings)


def test_a_game_says_who_played_what_where() -> None:
    record = cup(variant="tactical")
    game = exported(record)
    assert list(game) == ["schema", "id", "tournament", "game", "options", "block", "rotation", "seats", "events"]
    assert (game["schema"], game["id"], game["tournament"]) == ("referee.game/1", "cup/4/0/1", "cup")
    assert (game["game"], game["block"], game["rotation"]) == ("six_nimmt", "cup/4/0", 1)
    assert game["options"] == {"variant": "tactical", "both_ends": False, "starting_points": 66, "max_deals": None}
    assert [seat["seat"] for seat in game["seats"]] == [0, 1, 2]
    assert [list(seat) for seat in game["seats"]] == [
        ["seat", "bot", "version", "points", "rank", "forfeit", "faults"]
    ] * 3
    assert [(s["bot"], s["version"], s["points"], s["rank"]) for s in game["seats"]] == [
        (s.bot, s.version, s.points, s.rank) for s in record.seats
    ]


def test_a_fault_points_to_the_decision_that_the_referee_took() -> None:
    late = faults.fault(faults.LATE, "no answer within 1000 ms")
    gone = faults.fault(faults.CRASHED, "the process ended")
    game = exported(cup(due={"a": late, "c": gone}))
    a, b, c = game["seats"]
    [late_fault], [crash] = a["faults"], c["faults"]
    assert (late_fault["kind"], late_fault["reason"]) == ("LATE", "no answer within 1000 ms")
    assert (crash["kind"], c["forfeit"], c["rank"]) == ("CRASHED", True, 3)
    assert (b["faults"], a["forfeit"], b["forfeit"]) == ([], False, False)
    for seat, fault in ((0, late_fault), (2, crash)):
        event = game["events"][fault["event"]]
        assert (event["type"], event["seat"], event["by"]) == ("choice", seat, "default")
    later = [e["by"] for e in game["events"][crash["event"] :] if e["type"] == "choice" and e["seat"] == 2]
    assert set(later) <= {"default", "forced"}


@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=str)
@pytest.mark.parametrize("seats", ["fewest", "most"])
def test_events_of_every_variant(game: str, options: Any, seats: str) -> None:
    rules = load(game)
    some = min(rules.seats) if seats == "fewest" else max(rules.seats)
    settings = {name: getattr(options, name) for name in options.__struct_fields__}
    events = exported(cup(game, some, **settings))["events"]
    assert events[0]["type"] in ("deal", "layout", "deck")
    for event in events:
        if event["type"] == "choice":
            assert set(event) == {"type", "seat", "kind", "by", "us"} | KEYS[event["kind"]]
            assert (event["by"] == "bot") == (event["us"] > 0)
        else:
            assert "seat" not in event


def test_a_deal_is_whole() -> None:
    deal = exported(cup())["events"][0]
    assert (deal["type"], [len(hand) for hand in deal["hands"]], [len(row) for row in deal["rows"]]) == (
        "deal",
        [10, 10, 10],
        [1, 1, 1, 1],
    )
    draft = exported(cup(variant="logic"))["events"]
    assert (draft[0]["type"], len(draft[0]["cards"])) == ("layout", 34)
    assert [event["kind"] for event in draft[1:31]] == ["draft"] * 30
    assert draft[31]["type"] == "rows"


def test_forced_choices_are_written() -> None:
    events = exported(cup())["events"]
    last = [event for event in events if event["type"] == "choice" and event["kind"] == "play_card"][-3:]
    assert [event["by"] for event in last] == ["forced"] * 3


def test_opponents_of_the_game_itself() -> None:
    record = cup("ten", 1, automaton_level=6)
    game = exported(record)
    assert game["house"] == [
        {"bot": "automaton-6", "version": "", "points": record.house[0].points, "rank": record.house[0].rank}
    ]
    assert len(game["seats"]) == 1
    assert [event["cards"] for event in game["events"] if event["type"] == "deck"]
    assert {event["seat"] for event in game["events"] if event["type"] == "choice"} == {0}


def test_nothing_tells_the_deals_to_come() -> None:
    assert SEED.hex() not in json.dumps(exported(cup()))
    assert SEED.decode() not in json.dumps(exported(cup()))


def test_odd_names_stay_as_they_are() -> None:
    names = ("two\nlines \"'", "🐉 \u2028")
    record = made.refereed(Pairing("cup/0/0/0", 0, names), SEED)
    line = json.dumps(exported(record), ensure_ascii=False)
    assert "\n" not in line
    assert tuple(seat["bot"] for seat in json.loads(line)["seats"]) == names
