"""Checking a tournament from what is stored: whatever is changed in it is found, and the rest is still checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee import config, faults
from referee.rows import TournamentRow
from referee.schedule import deal_seed, round_robin
from referee.store import Store
from referee.tally import tally
from referee.v1.record_pb2 import DecidedBy, Decision, Event, Fault, GameRecord, SeatRecord
from referee.verify import findings
from tests import made

BOTS = ("a", "b", "c")
DEALS = 2
PLAN = round_robin("cup", BOTS, 3, DEALS, 100)


def row(ended: str | None = None, **options: Any) -> TournamentRow:
    return replace(made.tournament(BOTS, options={"max_deals": 1} | options), ended=ended)


def games(game: str = "six_nimmt", **options: Any) -> list[GameRecord]:
    """Return the games of the plan. In the first deal ``b`` is late once and ``c`` crashes."""
    played = []
    for block in PLAN.blocks:
        for pairing in block.games():
            due: dict[str, Fault] = {}
            if block.deal == 0:
                due = {"b": faults.fault(faults.LATE, "late"), "c": faults.fault(faults.CRASHED, "gone")}
            seed = deal_seed(made.SECRET, block.deal)
            played.append(made.refereed(pairing, seed, game=game, due=due, **{"max_deals": 1} | options))
    return played


def found(records: list[GameRecord], at: TournamentRow | None = None) -> list[str]:
    at = at or row()
    return list(findings(at, config.from_json(at.config, "cup"), PLAN, [(r, tally(r)) for r in records]))


def decision(record: GameRecord, by: DecidedBy.ValueType, seat: int | None = None, after: int = -1) -> int:
    """Return the index of the first decision taken by somebody, after an event."""
    return next(
        number
        for number, event in enumerate(record.events)
        if number > after and event.decision.by == by and seat in (None, event.decision.seat)
    )


def test_a_fair_tournament() -> None:
    assert found(games(), row(ended="now")) == []


@pytest.mark.parametrize("variant", ["tactical", "logic", "professional"])
def test_a_fair_tournament_of_each_variant(variant: str) -> None:
    assert found(games(variant=variant), row(ended="now", variant=variant)) == []


def another_seed(record: GameRecord) -> None:
    record.seed = b"mine"


def another_deal(record: GameRecord) -> None:
    record.events[0].six_nimmt.dealt.hands[0].cards[0] ^= 1


def a_card_not_held(record: GameRecord) -> None:
    record.events[decision(record, DecidedBy.DECIDED_BY_BOT)].decision.six_nimmt.play_card = 104


def no_choice(record: GameRecord) -> None:
    record.events[decision(record, DecidedBy.DECIDED_BY_BOT)].decision.ClearField("six_nimmt")


def a_decision_too_few(record: GameRecord) -> None:
    del record.events[-1]


def a_decision_too_many(record: GameRecord) -> None:
    record.events.append(Event(decision=Decision(seat=0)))


def two_seats_in_the_wrong_order(record: GameRecord) -> None:
    record.events[1].decision.seat, record.events[2].decision.seat = 1, 0


def a_seat_that_is_not_there(record: GameRecord) -> None:
    record.events[1].decision.seat = 7


def a_bots_choice_called_forced(record: GameRecord) -> None:
    record.events[decision(record, DecidedBy.DECIDED_BY_BOT)].decision.by = DecidedBy.DECIDED_BY_FORCED


def a_forced_choice_called_the_bots(record: GameRecord) -> None:
    record.events[decision(record, DecidedBy.DECIDED_BY_FORCED)].decision.by = DecidedBy.DECIDED_BY_BOT


def a_default_without_a_fault(record: GameRecord) -> None:
    record.events[decision(record, DecidedBy.DECIDED_BY_BOT)].decision.by = DecidedBy.DECIDED_BY_DEFAULT


def other_points(record: GameRecord) -> None:
    record.seats[0].points += 1


def another_rank(record: GameRecord) -> None:
    record.seats[0].rank = 4 - record.seats[0].rank if record.seats[0].rank != 2 else 1


def a_forfeit_for_nothing(record: GameRecord) -> None:
    record.seats[0].forfeit = True


def an_invented_fault(record: GameRecord) -> None:
    record.faults.append(Fault(kind=faults.LATE, seat=0, event=decision(record, DecidedBy.DECIDED_BY_BOT, 0)))


def a_fault_after_the_end(record: GameRecord) -> None:
    record.faults.append(Fault(kind=faults.LATE, seat=0, event=10_000))


def somebody_elses_seat(record: GameRecord) -> None:
    record.seats[0].bot, record.seats[1].bot = record.seats[1].bot, record.seats[0].bot


def a_stranger(record: GameRecord) -> None:
    record.seats[0].bot = "z"


def a_seat_too_many(record: GameRecord) -> None:
    record.seats.append(SeatRecord(bot="z"))


def another_version(record: GameRecord) -> None:
    record.seats[0].version = "2"


def other_options(record: GameRecord) -> None:
    record.options = record.options.replace("66", "67")


def another_rotation(record: GameRecord) -> None:
    record.rotation = 0


def a_game_off_the_schedule(record: GameRecord) -> None:
    record.id = "cup/0/1/9"


CHANGES: dict[Callable[[GameRecord], None], str] = {
    another_seed: "its deal does not come from the secret",
    another_deal: "the seed deals otherwise than the record says",
    a_card_not_held: "104",
    no_choice: "answers nothing",
    a_decision_too_few: "is missing",
    a_decision_too_many: "the game is over, but the record goes on",
    two_seats_in_the_wrong_order: "it is for seat 0 to decide",
    a_seat_that_is_not_there: "seat 7 decides",
    a_bots_choice_called_forced: "a choice is forced when it is the only one, and only then",
    a_forced_choice_called_the_bots: "a choice is forced when it is the only one, and only then",
    a_default_without_a_fault: "the referee decided, but not the default or without a fault",
    other_points: "the rules give points",
    another_rank: "the rules give points",
    a_forfeit_for_nothing: "seat 0 forfeited without the faults for it",
    an_invented_fault: "a fault of seat 0, but no default of it",
    a_fault_after_the_end: "a fault of seat 0, but no default of it",
    somebody_elses_seat: "scheduled",
    a_stranger: "scheduled",
    a_seat_too_many: "scheduled",
    another_version: "played by version 2 of",
    other_options: "six_nimmt with",
    another_rotation: "it says that it is rotation 0 of cup",
    a_game_off_the_schedule: "not in the schedule",
}


@pytest.mark.parametrize("change", CHANGES, ids=[change.__name__ for change in CHANGES])
def test_whatever_is_changed_is_found_and_nothing_else(change: Callable[[GameRecord], None]) -> None:
    records = games()
    assert records[4].id == "cup/0/1/1"
    change(records[4])
    [finding] = found(records)
    assert finding.startswith(f"game {records[4].id}")
    assert CHANGES[change] in finding


def test_all_that_is_changed_is_found() -> None:
    records = games()
    for record in records[::2]:
        other_points(record)
    assert [finding.split(":")[0] for finding in found(records)] == [f"game {record.id}" for record in records[::2]]


def test_a_default_that_is_not_the_first_choice() -> None:
    records = games()
    at = decision(records[0], DecidedBy.DECIDED_BY_DEFAULT)
    seat = records[0].events[at].decision.seat
    hand = records[0].events[0].six_nimmt.dealt.hands[seat].cards
    records[0].events[at].decision.six_nimmt.play_card = hand[-1]
    [finding] = found(records)
    assert "the referee decided, but not the default or without a fault" in finding


def test_a_fault_that_was_taken_away() -> None:
    records = games()
    late = next(fault for fault in records[0].faults if fault.kind == faults.LATE)
    records[0].faults.remove(late)
    [finding] = found(records)
    assert "the referee decided, but not the default or without a fault" in finding


def test_a_forfeit_that_was_forgiven() -> None:
    records = games()
    crashed = next(fault.seat for fault in records[0].faults if fault.kind == faults.CRASHED)
    records[0].seats[crashed].forfeit = False
    [finding] = found(records)
    assert finding == f"game cup/0/0/0: seat {crashed} did not forfeit despite the faults for it"


def test_any_other_card_is_found() -> None:
    """Chance says which card of which game: even one that was held is missing when it was to be played."""
    rng = Random(3)
    whole = games()
    for _ in range(60):
        records = [GameRecord.FromString(record.SerializeToString()) for record in whole]
        record = rng.choice(records)
        plays = [
            e.decision.six_nimmt for e in record.events if e.decision.six_nimmt.WhichOneof("choice") == "play_card"
        ]
        rng.choice(plays).play_card ^= 1 << rng.randrange(7)
        [finding] = found(records)
        assert finding.startswith(f"game {record.id}")


def test_another_secret_and_another_commitment() -> None:
    records = games()
    said = found(records, replace(row(), commitment="0" * 64))
    assert len(said) == 1
    assert said[0].startswith("the secret is not the one committed to")
    said = found(records, replace(row(), secret=b"another"))
    assert len(said) == 1 + len(records)


def test_a_missing_game_is_found_once_the_tournament_has_ended() -> None:
    records = games()
    assert found(records[1:-1]) == []
    assert found(records[1:-1], row(ended="now")) == [
        f"game {record.id}: missing, though the tournament has ended" for record in (records[0], records[-1])
    ]


def test_standings_that_count_something_else(tmp_path: Path) -> None:
    records = games()
    better = GameRecord.FromString(records[2].SerializeToString())
    better.seats[0].points += 10
    pairs = [(record, tally(better if record is records[2] else record)) for record in records]
    said = list(findings(row(), config.from_json(row().config, "cup"), PLAN, pairs))
    assert said == ["game cup/0/0/2: standings count something else than its record says"]


def test_games_out_of_a_store(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.add_tournament(row())
        store.add_games("cup", games())
        store.end_tournament("cup")
        stored = store.tournament()
        assert list(findings(stored, config.from_json(stored.config, "cup"), PLAN, store.games("cup"))) == []
