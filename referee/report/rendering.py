"""The formats that standings come out in: a table for a terminal, Markdown, CSV and JSON.

The first two are for people and share rounded columns with notes below; the other two have every figure unrounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from referee import faults
from referee.games import load
from referee.ratings import ENOUGH, Rating
from referee.report import text

if TYPE_CHECKING:
    from referee.report.standings import Row, Standings

NOTHING = "–"
"""Where there is no figure."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column for people."""

    title: str
    cell: Callable[[Row], str]
    right: bool = True


def render(model: Standings, style: str) -> str:
    """Return standings as ``table``, ``md``, ``csv`` or ``json``."""
    return {"table": _table, "md": _markdown, "csv": _csv, "json": _json}[style](model)


def _table(model: Standings) -> str:
    parts = [
        *_heading(model),
        "",
        text.table([c.title for c in COLUMNS], _cells(model), [c.right for c in COLUMNS]),
        "",
        *_notes(model),
    ]
    return "\n".join(parts)


def _markdown(model: Standings) -> str:
    name, *heading = map(text.markup_free, _heading(model))
    table = text.markdown([c.title for c in COLUMNS], _cells(model), [c.right for c in COLUMNS])
    notes = (f"- {text.markup_free(note)}" for note in _notes(model))
    return "\n".join([f"## {name}", "", "  \n".join(heading), "", table, "", *notes])


def _csv(model: Standings) -> str:
    rows = [_figures(row) for row in model.rows]
    kinds = [faults.name(kind) for kind in faults.ADVICE]
    flat = [row | {kind.lower(): row["faults"].get(kind, 0) for kind in kinds} for row in rows]
    names = [name for name in flat[0] if name != "faults"]
    return text.csv(names, [[row[name] for name in names] for row in flat])


def _json(model: Standings) -> str:
    tournament = model.tournament
    return json.dumps(
        {
            "schema": "referee.standings/1",
            "tournament": tournament.name,
            "game": tournament.game,
            "options": model.options,
            "seats": model.seats,
            "started": tournament.started,
            "ended": tournament.ended,
            "commitment": tournament.commitment,
            "games": model.games,
            "blocks": {"done": model.blocks, "total": tournament.blocks},
            "sandbox": model.sandbox,
            "voids": model.voids,
            "benched": [{"bot": b.bot, "reason": b.reason, "time": b.time} for b in model.benchings],
            "rows": [_figures(row) for row in model.rows],
            "pairs": [{"bot": a.bot, "other": b.bot} | asdict(difference) for a, b, difference in model.pairs()],
        },
        ensure_ascii=False,
        allow_nan=False,
        indent=2,
    )


def _figures(row: Row) -> dict[str, Any]:
    rating = asdict(row.rating)
    del rating["name"], rating["place"]
    return {
        "place": row.place,
        "bot": row.bot,
        "version": row.version,
        "house": row.house,
        **rating,
        "los": row.los,
        "faults": row.faults,
        "forfeits": row.forfeits,
        "mean_ms": row.mean_ms,
        "max_ms": row.max_ms,
        "cpu_seconds": row.cpu_seconds,
        "benched": row.benched or None,
    }


def _cells(model: Standings) -> list[list[str]]:
    return [[column.cell(row) for column in COLUMNS] for row in model.rows]


def _heading(model: Standings) -> Iterator[str]:
    tournament = model.tournament
    options = ", ".join(f"{key} = {json.dumps(value)}" for key, value in model.options.items())
    yield tournament.name
    seats = text.counted(model.seats, "seat")
    yield f"{load(tournament.game).title} with {seats}; {options}"
    state = "complete" if tournament.ended else f"{model.blocks} of {tournament.blocks} blocks so far"
    levels = ", ".join(f"{level} ({games} games)" for level, games in sorted(model.sandbox.items()))
    yield f"{model.games} games, {state}; sandbox: {levels or 'none was needed yet'}"


def _notes(model: Standings) -> Iterator[str]:
    ratings = [row.rating for row in model.rows]
    if any(rating.elo is not None for rating in ratings):
        yield "±: 95 % interval, counted by blocks; LOS: how likely a bot is stronger than the next one"
    if any(rating.bound for rating in ratings):
        yield "≥, ≤: it won, or lost, every comparison that would tell how much better or worse it is"
    if any(rating.apart for rating in ratings):
        yield "apart: the results put no figure on how it compares with the others"
    if any(rating.blocks < ENOUGH for rating in ratings):
        yield f"no rating with fewer than {ENOUGH} blocks"
    if any(row.house for row in model.rows):
        yield "(house): plays for the game itself"
    for benching in model.benchings:
        yield f"{benching.bot}: {benching.reason}"
    if model.voids:
        yield f"{text.counted(model.voids, 'game')} void and played again: the referee or the machine failed, not a bot"
    yield f"commitment to the deals: {model.tournament.commitment}"


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None else f"{value:.{digits}f}"


def _elo(rating: Rating) -> str:
    if rating.bound:
        return f"{'≥' if rating.bound == 'at_least' else '≤'} {_number(rating.bound_elo, 0)}"
    return "apart" if rating.apart else _number(rating.elo, 0)


def _faults(row: Row) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(row.faults.items())) or "0"


COLUMNS = (
    Column("#", lambda row: NOTHING if row.place is None else str(row.place)),
    Column("bot", lambda row: f"{row.bot} (house)" if row.house else row.bot, right=False),
    Column("version", lambda row: row.version, right=False),
    Column("Elo", lambda row: _elo(row.rating)),
    Column("±", lambda row: _number(row.rating.error, 0)),
    Column("LOS %", lambda row: _number(None if row.los is None else 100 * row.los, 1)),
    Column("games", lambda row: str(row.rating.games)),
    Column("won", lambda row: str(row.rating.wins)),
    Column("drawn", lambda row: str(row.rating.draws)),
    Column("lost", lambda row: str(row.rating.losses)),
    Column("points", lambda row: _number(row.rating.mean_points, 1)),
    Column("±", lambda row: _number(row.rating.points_error, 1)),
    Column("rank", lambda row: _number(row.rating.mean_rank, 2)),
    Column("forfeits", lambda row: str(row.forfeits)),
    Column("ms", lambda row: _number(row.mean_ms, 1)),
    Column("max ms", lambda row: _number(row.max_ms, 1)),
    Column("cpu s", lambda row: _number(row.cpu_seconds, 0)),
    Column("faults", _faults, right=False),
)
