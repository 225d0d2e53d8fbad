"""Time accounting, fed with timestamps. Pure: it never looks at a clock. All times are nanoseconds.

The two rules:

* A process's clock runs while it owes an answer. Each message with answers stops it, and it starts again if more are
  owed. k answers in one message cost ``(arrival - start) / k`` each, so a batch is as fair as single questions.
* The deadline is an absolute instant: ``start + limit`` of the oldest owed ask. Nothing but an answer moves it.

After a missed deadline the oldest ask is LATE and the process hangs: it has ``move`` to give itself back by any answer,
or it is lost. A late answer frees the process and counts for nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """A tournament's time settings, in nanoseconds."""

    start: int = 10_000_000_000
    move: int = 1_000_000_000
    free: int = 100_000_000
    bank: int = 5_000_000_000
    shutdown: int = 1_000_000_000


class Bank:
    """A seat's reserve in one game: what a decision takes beyond ``free`` comes out of it."""

    __slots__ = ("left", "limits")

    def __init__(self, limits: TimeLimits) -> None:
        self.limits = limits
        self.left = limits.bank

    @property
    def limit(self) -> int:
        """What the next decision may cost."""
        return min(self.limits.move, self.limits.free + self.left)

    def charge(self, cost: int) -> None:
        """Take what a decision cost."""
        self.left = max(0, self.left - max(0, cost - self.limits.free))


@dataclass(frozen=True, slots=True)
class Timed:
    """An ask whose time is up, by an answer or by its deadline: what it cost, and what it might have."""

    ask_id: int
    cost: int
    limit: int

    @property
    def late(self) -> bool:
        """Whether it took too long. Exactly the limit is in time."""
        return self.cost > self.limit


class Clock:
    """The clock of one process."""

    def __init__(self, limits: TimeLimits) -> None:
        self.limits = limits
        self.owed: dict[int, Bank] = {}
        self.hanging = False
        self._late: set[int] = set()
        self._since = 0
        self._fresh = False

    @property
    def idle(self) -> bool:
        """Whether the process owes nothing and has given itself back."""
        return not self.owed and not self.hanging

    @property
    def since(self) -> int:
        """When the clock was started last."""
        return self._since

    @property
    def deadline(self) -> int:
        """When the oldest owed ask is late, or a hanging process is lost. Only while not idle."""
        if self.hanging:
            return self._since + self.limits.move
        return self._since + next(iter(self.owed.values())).limit

    def send(self, asks: Mapping[int, Bank], now: int) -> None:
        """Start the clock: these asks, oldest first, were handed to an idle process."""
        assert self.idle
        self.owed.update(asks)
        self._since = now
        self._fresh = True

    def sent(self, at: int) -> None:
        """Correct the start of the clock: the transport took the asks a little later, at this instant."""
        if self._fresh:
            self._since = at
            self._fresh = False

    def answered(self, ask_ids: Sequence[int], now: int) -> list[Timed]:
        """Take the distinct answers of one message. Ids that are not owed (unknown, repeated, late) are left out.

        An answer to a late ask gives the process back; an unknown or repeated one does nothing at all.
        """
        known = [i for i in ask_ids if i in self.owed]
        late = [i for i in ask_ids if i in self._late]
        if not known and not late:
            return []
        cost = max(0, now - self._since) // (len(known) + len(late))
        self._since = max(now, self._since)
        self.hanging = False
        self._late.difference_update(late)
        return [self._charge(ask_id, cost) for ask_id in known]

    def expire(self, now: int) -> Timed | None:
        """Return the ask that is late by now, if any: it is owed no longer, and the process hangs."""
        if self.idle or self.hanging or now <= self.deadline:
            return None
        deadline = self.deadline
        timed = self._charge(next(iter(self.owed)), now - self._since)
        self._late.add(timed.ask_id)
        self._since = deadline
        self.hanging = True
        return timed

    def _charge(self, ask_id: int, cost: int) -> Timed:
        bank = self.owed.pop(ask_id)
        timed = Timed(ask_id, cost, bank.limit)
        bank.charge(min(cost, timed.limit))
        return timed


class LagMeter:
    """How late the referee itself is: fed by something that ought to beat every ``period``."""

    def __init__(self, period: int) -> None:
        self.period = period
        self._last = 0
        self._lags: deque[tuple[int, int]] = deque(maxlen=1000)

    def beat(self, now: int) -> None:
        """Note a beat."""
        if self._last and now - self._last > self.period:
            self._lags.append((now, now - self._last - self.period))
        self._last = now

    def worst(self, since: int, now: int) -> int:
        """Return the greatest lag that fell into the time from ``since``, a beat that is missing now included."""
        missing = now - self._last - self.period if self._last else 0
        return max([0, missing, *(lag for at, lag in self._lags if at >= since)])


VOID_PART = 0.2
"""A LATE does not count if the referee was late itself by more than this part of the limit."""
