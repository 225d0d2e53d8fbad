"""The table: whom it asks, what a fault costs, who ranks where. Played with 6 nimmt!."""

from random import Random

import pytest

from referee import faults
from referee.errors import VerifyError
from referee.games import load
from referee.replay import replay
from referee.table import DEFAULT, FORCED, Answer, Player, Question, Table
from referee.v1.arena_pb2 import FaultKind
from referee.v1.record_pb2 import GameRecord
from referee.v1.six_nimmt_pb2 import SixNimmtChoice, SixNimmtDecision

GAME = load("six_nimmt")
OPTIONS = GAME.options(max_deals=1)
PLAYERS = [Player("ada"), Player("bob"), Player("cid")]


def new_table(max_strikes: int = 3) -> Table:
    return Table(GAME, OPTIONS, PLAYERS, b"seed", max_strikes)


def good(table: Table, question: Question) -> Answer:
    return Answer(next(GAME.legal(table.state, question.seat)), us=7)


def finish(table: Table) -> GameRecord:
    while asks := table.asks():
        table.answer({q.seat: good(table, q) for q in asks})
    return table.record(id="t/0/0/0")


def fault_by(table: Table, seat: int, kind: FaultKind.ValueType) -> None:
    """Let one seat fault at this decision and the others answer."""
    table.answer(
        {
            q.seat: Answer(fault=faults.fault(kind, "made up")) if q.seat == seat else good(table, q)
            for q in table.asks()
        }
    )


def test_a_trick_asks_all_seats_at_once_and_the_last_card_nobody() -> None:
    table = new_table()
    assert [q.seat for q in table.asks()] == [0, 1, 2]
    record = finish(table)
    forced = [e.decision for e in record.events if e.decision.by == FORCED]
    assert len([d for d in forced if d.six_nimmt.HasField("play_card")]) == 3, "one card left is no choice"
    assert not record.faults


@pytest.mark.parametrize("kind", [faults.LATE, faults.ILLEGAL, faults.MALFORMED])
def test_three_strikes_are_a_forfeit(kind: FaultKind.ValueType) -> None:
    table = new_table()
    for strike in range(3):
        assert not table.seats[1].forfeit, strike
        fault_by(table, 1, kind)
        while [q.seat for q in table.asks()] != [0, 1, 2] and not table.seats[1].forfeit:
            table.answer({q.seat: good(table, q) for q in table.asks()})
    assert table.seats[1].forfeit
    record = finish(table)
    assert len(record.faults) == 3
    assert record.seats[1].rank == 3


@pytest.mark.parametrize("kind", [faults.CRASHED, faults.NO_START])
def test_a_crash_forfeits_at_once_and_the_seat_is_asked_no_more(kind: FaultKind.ValueType) -> None:
    table = new_table()
    fault_by(table, 0, kind)
    assert table.seats[0].forfeit
    while asks := table.asks():
        assert 0 not in [q.seat for q in asks]
        table.answer({q.seat: good(table, q) for q in asks})
    record = table.record()
    assert record.seats[0].forfeit
    assert next(e.decision.by for e in record.events if e.HasField("decision")) == DEFAULT


def test_forfeiters_tie_below_all_others() -> None:
    table = new_table()
    for seat in (0, 2):
        fault_by(table, seat, faults.CRASHED)
        while table.asks() and [q.seat for q in table.asks()] == [1] and seat == 0:
            table.answer({q.seat: good(table, q) for q in table.asks()})
    record = finish(table)
    assert [s.rank for s in record.seats] == [2, 1, 2]


def test_a_refused_choice_is_a_fault_with_its_evidence() -> None:
    table = new_table()
    card = next(c for c in range(1, 105) if c not in table.asks()[0].view.hand)  # type: ignore[attr-defined] # a 6 nimmt! view
    illegal = SixNimmtChoice(play_card=card)
    table.answer({q.seat: Answer(illegal, us=12) if q.seat == 0 else good(table, q) for q in table.asks()})
    [fault] = finish(table).faults
    assert fault.kind == faults.ILLEGAL
    assert str(card) in fault.reason
    assert fault.reply == illegal.SerializeToString()
    assert fault.us == 12
    assert fault.ask


def test_the_wrong_kind_of_choice_is_malformed() -> None:
    table = new_table()
    assert table.asks()[0].view.decision == SixNimmtDecision.SIX_NIMMT_DECISION_PLAY_CARD  # type: ignore[attr-defined] # as above
    wrong = SixNimmtChoice(choose_row=0)
    table.answer({q.seat: Answer(wrong) if q.seat == 0 else good(table, q) for q in table.asks()})
    [fault] = finish(table).faults
    assert fault.kind == faults.MALFORMED


def test_a_fault_names_the_event_that_the_referee_decided() -> None:
    table = new_table()
    fault_by(table, 2, faults.LATE)
    record = finish(table)
    [fault] = record.faults
    decision = record.events[fault.event].decision
    assert (decision.seat, decision.by) == (2, DEFAULT)


def random_record(seed: int) -> GameRecord:
    rng = Random(seed)
    table = new_table()
    while asks := table.asks():
        answers = {}
        for question in asks:
            kind = rng.choice([faults.LATE, faults.ILLEGAL, faults.CRASHED]) if rng.random() < 0.03 else None
            choice = rng.choice(list(GAME.legal(table.state, question.seat)))
            answers[question.seat] = Answer(fault=faults.fault(kind, "made up")) if kind else Answer(choice, us=1)
        table.answer(answers)
    return table.record(id=f"t/0/{seed}/0")


@pytest.mark.parametrize("seed", range(50))
def test_a_record_plays_again_faults_and_all(seed: int) -> None:
    assert list(replay(random_record(seed)))


def test_every_change_to_a_record_is_noticed() -> None:
    record = random_record(1)
    for index, event in enumerate(record.events):
        if not event.HasField("decision"):
            continue
        changed = GameRecord.FromString(record.SerializeToString())
        del changed.events[index]
        with pytest.raises(VerifyError):
            list(replay(changed))
    points = GameRecord.FromString(record.SerializeToString())
    points.seats[0].points += 1
    with pytest.raises(VerifyError, match="points"):
        list(replay(points))
    other_deal = GameRecord.FromString(record.SerializeToString())
    other_deal.seed = b"other"
    with pytest.raises(VerifyError, match="seed"):
        list(replay(other_deal))


def test_a_default_without_a_fault_is_noticed() -> None:
    record = finish(new_table())
    first = next(e.decision for e in record.events if e.HasField("decision"))
    first.by = DEFAULT
    with pytest.raises(VerifyError, match="default"):
        list(replay(record))
