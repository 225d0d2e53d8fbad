"""Standings: counted from the database alone, the same numbers in every format, nothing broken by a name."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import faults
from referee.config import Anchor
from referee.report.standings import Row, Standings, render, standings
from referee.rows import Benching, TournamentRow, Void
from referee.store import Store
from referee.v1.record_pb2 import GameRecord
from tests import made

POINTS = [(9, 5, 1), (2, 8, 3), (7, 7, 2), (4, 1, 6), (9, 3, 3), (5, 8, 0), (6, 2, 4)]
"""By deal, the points of three bots at each of three rotations: the same ones, so that a block is easy to add up."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, write=True) as opened:
        yield opened


def block(deal: int, bots: Sequence[str] = "abc", points: Sequence[int] | None = None) -> list[GameRecord]:
    """Return the games of a deal, each bot with the same points in all seats."""
    scores = list(zip(bots, points or POINTS[deal], strict=True))
    return [
        made.record(f"cup/0/{deal}/{rotation}", scores[rotation:] + scores[:rotation]) for rotation in range(len(bots))
    ]


def played(store: Store, row: TournamentRow, records: Sequence[GameRecord]) -> Standings:
    """Store a tournament with these games and return its standings."""
    store.add_tournament(row)
    store.add_games(row.name, records)
    return standings(store, row.name)


def line(model: Standings, bot: str) -> Row:
    [row] = [row for row in model.rows if row.bot == bot]
    return row


def test_counts_of_a_tournament(store: Store) -> None:
    records = [game for deal in range(len(POINTS)) for game in block(deal)]
    late = faults.fault(faults.LATE, "late", seat=0, event=0)
    gone = faults.fault(faults.CRASHED, "gone", seat=0, event=1)
    records[0].faults.extend([late, late, gone])  # seat 0 of rotation 0 is a's
    records[0].seats[0].forfeit = True
    records[1].MergeFrom(made.record("cup/0/0/1", [], us=[[2000, 4000], [500]]))  # seat 0 of rotation 1 is b's
    records[1].sandbox = "bubblewrap"
    store.add_tournament(made.tournament("abc", blocks=20))
    store.add_games(
        "cup",
        records[:-1],
        voids=[Void("cup/0/0/0", "a stall")],
        benchings=[Benching("c", "5 crashes in a row"), Benching("c", "5 crashes in a row, in another worker")],
        cpu={"a": 1.5},
    )
    model = standings(store, "cup")
    assert (model.games, model.blocks, model.tournament.blocks, model.voids) == (20, 6, 20, 1)
    assert model.sandbox == {"none": 19, "bubblewrap": 1}
    assert [benching.reason for benching in model.benchings] == ["5 crashes in a row"]
    a, b, c = (line(model, bot) for bot in "abc")
    assert (a.faults, a.forfeits, a.cpu_seconds) == ({"LATE": 2, "CRASHED": 1}, 1, 1.5)
    assert (b.mean_ms, b.max_ms) == (3.0, 4.0)
    assert (c.mean_ms, c.max_ms, c.benched) == (0.5, 0.5, "5 crashes in a row")
    assert (a.version, a.rating.games, a.rating.blocks) == ("1", 20, 7)
    assert (a.rating.wins, a.rating.draws, a.rating.losses) == (25, 3, 12)


def test_below_five_blocks_there_are_counts_and_no_ratings(store: Store) -> None:
    store.add_tournament(made.tournament("abc"))
    for deal in range(5):
        store.add_games("cup", block(deal))
        model = standings(store, "cup")
        rated = [row.rating.elo is not None for row in model.rows]
        placed = [row.place is not None for row in model.rows]
        assert rated == placed == [deal == 4] * 3
        assert sum(row.rating.games for row in model.rows) == 9 * (deal + 1)


def test_a_report_in_progress_has_the_numbers_of_a_final_one_over_the_same_games(store: Store) -> None:
    records = [game for deal in range(6) for game in block(deal)]
    ended = played(store, made.tournament("abc", name="cup", blocks=6), records)
    store.end_tournament("cup")
    final = json.loads(render(standings(store, "cup"), "json"))
    going = made.tournament("abc", name="cap", blocks=60)
    for record in records:
        record.id = record.id.replace("cup", "cap")
    running = json.loads(render(played(store, going, records[::-1]), "json"))
    assert running["rows"] == final["rows"]
    assert running["pairs"] == final["pairs"]
    assert ended.blocks == 6


def test_equals_share_a_place_whatever_they_are_called(store: Store) -> None:
    """``a`` and ``z`` do to the others, and to each other, just the same."""
    scores = [(5, 3, 1, 5), (2, 4, 6, 2), (5, 1, 3, 5), (3, 3, 3, 3), (0, 2, 1, 0), (7, 4, 8, 7)]
    records = [game for deal in range(6) for game in block(deal, bots="abcz", points=scores[deal])]
    model = played(store, made.tournament("abcz"), records)
    assert line(model, "a").place == line(model, "z").place
    assert line(model, "a").rating.elo == pytest.approx(line(model, "z").rating.elo)
    assert sorted(row.place or 0 for row in model.rows) in ([1, 1, 3, 4], [1, 2, 2, 4], [1, 2, 3, 3])


def test_all_games_drawn(store: Store) -> None:
    model = played(store, made.tournament("abc"), [game for deal in range(6) for game in block(deal, points=(4, 4, 4))])
    assert [row.place for row in model.rows] == [1, 1, 1]
    assert [row.rating.elo for row in model.rows] == pytest.approx([1500] * 3)
    assert [row.los for row in model.rows] == [0.5, 0.5, None]


def test_one_won_everything_and_one_lost_everything(store: Store) -> None:
    records = [game for deal in range(6) for game in block(deal, points=(9, 5, 1))]
    model = played(store, made.tournament("abc"), records)
    assert [row.bot for row in model.rows] == ["a", "b", "c"]
    assert [(row.place, row.rating.bound) for row in model.rows] == [(1, "at_least"), (None, None), (3, "at_most")]
    for style in ("table", "md", "csv", "json"):
        assert not re.search(r"\b(nan|inf|Infinity)\b", render(model, style), re.IGNORECASE)


def test_two_groups_that_never_met(store: Store) -> None:
    records = [
        made.record(f"cup/{table}/{deal}/{rotation}", [(bots[0], deal % 3), (bots[1], 1)])
        for deal in range(6)
        for table, bots in enumerate(("ab", "cd"))
        for rotation in range(2)
    ]
    model = played(store, made.tournament("abcd", seats=2), records)
    assert {row.rating.apart for row in model.rows} == {True}
    assert "apart" in render(model, "table")


def test_no_games_at_all(store: Store) -> None:
    model = played(store, made.tournament("ab"), [])
    assert [(row.bot, row.place, row.rating.games) for row in model.rows] == [("a", None, 0), ("b", None, 0)]
    for style in ("table", "md", "csv", "json"):
        assert "a" in render(model, style)


def test_a_bot_that_has_not_played_yet_is_listed_last(store: Store) -> None:
    records = [game for deal in range(6) for game in block(deal, bots="bc", points=POINTS[deal][:2])]
    model = played(store, made.tournament("abc", seats=2), records)
    assert model.rows[-1].bot == "a"
    assert model.rows[-1].place is None


def test_the_anchor_has_exactly_its_rating(store: Store) -> None:
    records = [game for deal in range(6) for game in block(deal)]
    model = played(store, made.tournament("abc", anchor=Anchor(bot="c", elo=1200.0)), records)
    assert line(model, "c").rating.elo == 1200.0


def test_a_house_player_is_rated_and_marked_even_beside_a_bot_of_its_name(store: Store) -> None:
    records = [
        made.record(f"cup/{table}/{deal}/0", [(bot, deal % 4 + table)], house=[("automaton-6", 2)])
        for deal in range(6)
        for table, bot in enumerate(("automaton-6", "b"))
    ]
    row = made.tournament(["automaton-6", "b"], game="ten", seats=1)
    model = played(store, row, records)
    assert sorted((r.bot, r.house, r.rating.games, r.cpu_seconds) for r in model.rows) == [
        ("automaton-6", False, 6, 0.0),
        ("automaton-6", True, 12, None),
        ("b", False, 6, 0.0),
    ]
    assert "automaton-6 (house)" in render(model, "table")
    assert (model.games, model.blocks) == (12, 12)


def test_the_points_difference_of_each_pair_with_its_interval(store: Store) -> None:
    model = played(store, made.tournament("abc"), [game for deal in range(5) for game in block(deal)])
    pairs = {(p["bot"], p["other"]): p for p in json.loads(render(model, "json"))["pairs"]}
    assert len(pairs) == 3
    pair = pairs.get(("a", "b")) or pairs[("b", "a")]
    sign = 1 if ("a", "b") in pairs else -1
    differences = [a - b for a, b, _ in POINTS[:5]]  # 4, -6, 0, 3, 6
    mean = sum(differences) / 5
    deviation = (sum((d - mean) ** 2 for d in differences) / 4) ** 0.5
    assert pair["points"] == pytest.approx(sign * mean)
    assert pair["points_error"] == pytest.approx(2.776445 * deviation / 5**0.5, rel=1e-3)  # Student, 4 degrees
    assert pair["blocks"] == 5


# Formats


def test_json_says_what_it_is(store: Store) -> None:
    row = made.tournament("abc", blocks=9, options={"variant": "logic"})
    data = json.loads(render(played(store, row, block(0)), "json"))
    assert data["schema"] == "referee.standings/1"
    assert (data["tournament"], data["game"], data["seats"], data["games"]) == ("cup", "six_nimmt", 3, 3)
    assert data["options"]["variant"] == "logic"
    assert data["blocks"] == {"done": 1, "total": 9}
    assert (data["commitment"], data["ended"]) == (row.commitment, None)
    assert row.secret.hex() not in json.dumps(data)
    assert {key: data["rows"][0][key] for key in ("place", "elo", "error", "bound", "los")} == {
        "place": None,
        "elo": None,
        "error": None,
        "bound": None,
        "los": None,
    }


def test_csv_has_every_figure_of_the_json(store: Store) -> None:
    records = [game for deal in range(6) for game in block(deal)]
    records[0].faults.append(faults.fault(faults.NO_START, "no Hello", seat=0, event=0))
    model = played(store, made.tournament("abc"), records)
    rows = list(csv.DictReader(io.StringIO(render(model, "csv"))))
    for read, stated in zip(rows, json.loads(render(model, "json"))["rows"], strict=True):
        assert int(read.pop("no_start")) == stated.pop("faults").get("NO_START", 0)
        for key, value in stated.items():
            assert read[key] == ("" if value is None else str(value)), key


def test_the_table(store: Store) -> None:
    records = [game for deal in range(7) for game in block(deal)]
    records[0].faults.append(faults.fault(faults.LATE, "late", seat=0, event=0))
    store.add_tournament(made.tournament("abc", blocks=8))
    store.add_games("cup", records, voids=[Void("cup/0/0/0", "a stall")], benchings=[Benching("c", "5 crashes")])
    lines = render(standings(store, "cup"), "table").splitlines()
    assert lines[0] == "cup"
    assert lines[1].startswith('6 nimmt! with 3 seats; variant = "standard", ')
    assert lines[2] == "21 games, 7 of 8 blocks so far; sandbox: none (21 games)"
    head = "# bot version Elo ± LOS % games won drawn lost points ± rank forfeits ms max ms cpu s faults"
    assert lines[4].split() == head.split()
    assert [text.split()[:2] for text in lines[5:8]] == [["1", "a"], ["2", "b"], ["3", "c"]]
    assert lines[5].endswith("1 LATE")
    assert "c: 5 crashes" in lines
    assert "1 game void and played again: the referee or the machine failed, not a bot" in lines


@settings(max_examples=30, deadline=None)
@given(names=st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_no_name_breaks_a_format(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    with Store.open(tmp_path_factory.mktemp("arena"), write=True) as store:
        records = [game for deal in range(6) for game in block(deal, bots=names, points=POINTS[deal][:2])]
        model = played(store, made.tournament(names), records)
    order = [row.bot for row in model.rows]
    assert [row["bot"] for row in json.loads(render(model, "json"))["rows"]] == order
    read = list(csv.reader(io.StringIO(render(model, "csv"), newline="")))
    assert [row[1] for row in read[1:]] == order
    shown: dict[str, Any] = {style: render(model, style) for style in ("table", "md")}
    assert len({text.count("\n") for text in shown.values()}) <= 2
    for text in shown.values():
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    table = [text for text in shown["md"].splitlines() if text.startswith("|")]
    assert len(table) == 4
    assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", text)) for text in table}) == 1
