"""The clock, with made-up timestamps. Times are nanoseconds."""

from hypothesis import given
from hypothesis import strategies as st

from referee.clock import Bank, Clock, LagMeter, Timed, TimeLimits

MS = 1_000_000
US = 1_000
LIMITS = TimeLimits(move=1000 * MS, free=100 * MS, bank=5000 * MS)


def sent(*ask_ids: int, at: int = 0) -> Clock:
    clock = Clock(LIMITS)
    clock.send({ask_id: Bank(LIMITS) for ask_id in ask_ids}, at)
    return clock


def test_exactly_at_the_limit_is_in_time() -> None:
    [timed] = sent(1).answered([1], 1000 * MS)
    assert timed == Timed(1, 1000 * MS, 1000 * MS)
    assert not timed.late


def test_one_microsecond_under_is_in_time() -> None:
    clock = sent(1)
    assert clock.expire(1000 * MS - US) is None
    assert not clock.answered([1], 1000 * MS - US)[0].late


def test_one_microsecond_over_is_late_and_the_answer_is_not_counted_again() -> None:
    clock = sent(1)
    late = clock.expire(1000 * MS + US)
    assert late is not None
    assert late.late
    assert clock.answered([1], 1000 * MS + US) == []
    assert clock.idle


def test_a_batch_is_charged_evenly() -> None:
    timed = sent(1, 2, 3, 4).answered([1, 2, 3, 4], 400 * MS)
    assert [t.cost for t in timed] == [100 * MS] * 4


def test_each_message_stops_the_clock_and_starts_it_for_what_is_owed() -> None:
    clock = sent(1, 2, 3)
    assert clock.answered([1], 900 * MS)[0].cost == 900 * MS
    assert clock.deadline == 1900 * MS
    assert [t.cost for t in clock.answered([2, 3], 1500 * MS)] == [300 * MS, 300 * MS]
    assert clock.idle


def test_chatter_does_not_move_the_deadline() -> None:
    clock = sent(1)
    for now in range(0, 1000 * MS, 10 * MS):
        assert clock.answered([99], now) == []
        assert clock.answered([], now) == []
    assert clock.deadline == 1000 * MS
    assert clock.expire(1001 * MS) is not None


def test_a_repeated_answer_does_not_restart_the_clock() -> None:
    clock = sent(1, 2)
    clock.answered([1], 500 * MS)
    clock.answered([1], 1400 * MS)
    assert clock.deadline == 1500 * MS


def test_the_clock_starts_when_the_transport_has_the_asks_and_only_then() -> None:
    clock = sent(1, 2, at=0)
    clock.sent(50 * MS)
    assert clock.answered([1], 60 * MS)[0].cost == 10 * MS
    clock.sent(50 * MS)
    assert clock.since == 60 * MS


def test_the_bank_pays_what_exceeds_free_and_then_the_limit_is_free() -> None:
    bank = Bank(LIMITS)
    for _ in range(5):
        bank.charge(1000 * MS)
    assert bank.left == 500 * MS
    assert bank.limit == 600 * MS
    bank.charge(50 * MS)
    assert bank.left == 500 * MS
    bank.charge(600 * MS)
    assert bank.limit == 100 * MS


def test_after_a_late_the_process_hangs_until_any_answer_or_is_lost() -> None:
    clock = sent(1, 2)
    clock.expire(1200 * MS)
    assert clock.hanging
    assert not clock.idle
    assert clock.deadline == 2000 * MS, "from the deadline that was missed, not from when that was noticed"
    assert clock.expire(3000 * MS) is None, "one LATE, not two"
    assert [t.cost for t in clock.answered([2], 1900 * MS)] == [900 * MS]
    assert clock.idle


def test_a_late_answer_gives_the_process_back_and_the_next_ask_its_time() -> None:
    clock = sent(1, 2)
    clock.expire(1001 * MS)
    assert clock.answered([1], 1500 * MS) == []
    assert not clock.hanging
    assert clock.deadline == 2500 * MS


def test_each_answer_of_a_batch_is_held_to_its_own_limit() -> None:
    empty = Bank(LIMITS)
    empty.left = 0
    clock = Clock(LIMITS)
    clock.send({1: Bank(LIMITS), 2: empty}, 0)
    assert [t.late for t in clock.answered([1, 2], 400 * MS)] == [False, True]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 800)), max_size=20))
def test_nobody_is_charged_more_than_passed(messages: list[tuple[int, int]]) -> None:
    total = sum(count for count, _ in messages)
    if not total:
        return
    clock = sent(*range(total))
    now, charged, ids = 0, 0, iter(range(total))
    for count, ms in messages:
        now += ms * MS
        answered = clock.answered([next(ids) for _ in range(count)], now)
        charged += sum(t.cost for t in answered)
        assert len(answered) == count
    assert charged <= now
    assert clock.idle


@given(st.lists(st.integers(0, 2000), min_size=1), st.integers(0, 10_000))
def test_a_bank_never_rises_and_never_is_negative(costs: list[int], bank_ms: int) -> None:
    bank = Bank(TimeLimits(bank=bank_ms * MS))
    for cost in costs:
        before = bank.left
        bank.charge(cost * MS)
        assert 0 <= bank.left <= before
        assert bank.limits.free <= bank.limit <= max(bank.limits.move, bank.limits.free)


def test_the_lag_meter_knows_a_stall_while_it_lasts_and_afterwards() -> None:
    meter = LagMeter(period=20 * MS)
    for beat in range(0, 200, 20):
        meter.beat(beat * MS)
    assert meter.worst(0, 190 * MS) == 0
    assert meter.worst(0, 1200 * MS) == 1000 * MS, "the next beat is missing"
    meter.beat(1200 * MS)
    assert meter.worst(100 * MS, 1210 * MS) == 1000 * MS
    assert meter.worst(1205 * MS, 1210 * MS) == 0, "it was before"
