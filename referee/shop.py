"""What the processes of a worker have in common: what each is run with, and how each can end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trio

from referee import faults
from referee.arena import Arena
from referee.bots.limits import ProcessLimits
from referee.clock import LagMeter, TimeLimits
from referee.floor import Floor
from referee.v1.arena_pb2 import FaultKind, Limits
from referee.v1.record_pb2 import Fault


@dataclass(frozen=True, slots=True)
class Shop:
    """What every process of a worker is run with."""

    arena: Arena
    floor: Floor
    starts: trio.CapacityLimiter  # few starts at once: a start is timed, and cores are few
    game: str
    limits: TimeLimits
    process_limits: ProcessLimits
    sandbox: str
    logs: Path
    lag: LagMeter
    now: Callable[[], int] = time.monotonic_ns

    def worst_lag(self, since: int, now: int) -> int:
        """How late the referee was at worst in that time, in either of its threads."""
        return max(self.lag.worst(since, now), self.arena.lag.worst(since, now))


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended.

    ``charged``: an ask was on the clock (or nothing could be asked), so a game pays for it. ``kill``: the referee ends
    it, and waits for nothing.
    """

    kind: FaultKind.ValueType
    reason: str
    charged: bool
    kill: bool = False
    exit: str = ""
    stderr_tail: str = ""
    us: int = 0

    def fault(self) -> Fault:
        """Return it as the fault of the game that was on the clock."""
        return faults.fault(self.kind, self.reason, exit=self.exit, stderr_tail=self.stderr_tail, us=self.us)

    def benched(self, reason: str) -> Fault:
        """Return it as the fault of a game that a benched bot is not asked about any more."""
        return faults.fault(self.kind, reason, stderr_tail=self.stderr_tail)


def wire_limits(limits: TimeLimits) -> Limits:
    """Return the time settings as the wire has them, in microseconds."""
    return Limits(
        start_us=limits.start // 1000,
        move_us=limits.move // 1000,
        free_us=limits.free // 1000,
        bank_us=limits.bank // 1000,
        shutdown_us=limits.shutdown // 1000,
    )
