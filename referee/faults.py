"""What a bot can do wrong, as data. A fault is never an exception: it is the answer to an ask."""

from __future__ import annotations

from referee.v1.arena_pb2 import FaultKind
from referee.v1.record_pb2 import Fault

LATE = FaultKind.FAULT_KIND_LATE
ILLEGAL = FaultKind.FAULT_KIND_ILLEGAL
MALFORMED = FaultKind.FAULT_KIND_MALFORMED
CRASHED = FaultKind.FAULT_KIND_CRASHED
NO_START = FaultKind.FAULT_KIND_NO_START
KINDS = (LATE, ILLEGAL, MALFORMED, CRASHED, NO_START)

FORFEITS = frozenset({CRASHED, NO_START})
"""These end the game for the seat at once; the others are strikes."""

ADVICE = {
    LATE: "answer within the limit that every ask tells, and send each answer as soon as you have it",
    ILLEGAL: "the rules refuse this choice; compare it with the view it was asked with",
    MALFORMED: "answer with the kind of choice that the ask names, in the message of its game, below 1 MiB",
    CRASHED: "the process or its stream ended while it was to answer; its stderr tells why, if it says anything",
    NO_START: "send Hello with REFEREE_TOKEN, protocol 1 and the game's name within the start limit",
}
"""What a bot's author can do about a fault."""

EVIDENCE_BYTES = 4096
"""How much of a reply, and of stderr, is kept with a fault."""
LONGEST_REASON = 500
"""Characters of a reason: it may quote what a bot said."""


def name(kind: FaultKind.ValueType) -> str:
    """Return a kind as tables and exports show it: ``LATE``, ``NO_START``."""
    return FaultKind.Name(kind).removeprefix("FAULT_KIND_")


def fault(kind: FaultKind.ValueType, reason: str, **evidence: bytes | str | int) -> Fault:
    """Return a fault; ``evidence`` are further fields of the message. The table fills in seat and event."""
    if len(reason) > LONGEST_REASON:
        reason = reason[: LONGEST_REASON - 1] + "…"
    return Fault(kind=kind, reason=reason, **evidence)  # type: ignore[arg-type] # protobuf checks the fields itself
