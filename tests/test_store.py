"""The arena's database: what is stored is whole, whoever dies, and what is not ours is not touched."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.database import APPLICATION_ID, VERSION
from referee.errors import ArenaError, BotError
from referee.faults import LATE, fault
from referee.rows import Benching, Void
from referee.store import Store
from referee.v1.record_pb2 import GameRecord
from tests import made

ODD_NAMES = [
    "a vs b",
    "\"'`,;",
    "two\nlines",
    "a/b/../c",
    "🐉" * 50,
    "x" * 200,
    "CASE",
    "case",
    "%s?#",
    "NULL",
    "a@1",
    " ",
]

SEATS = 3
KILLS = 15
NOBODY = 65534


@contextmanager
def writer(arena: Path, body: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program that has the arena open for writing as ``store``. It is killed at the end."""
    program = f"from pathlib import Path\nfrom referee.store import Store\nfrom tests import made\n{body}"
    command = [sys.executable, "-c", program, str(arena)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def block(deal: int, seats: int = SEATS) -> list[GameRecord]:
    bots = ["a", "b", "c"][:seats]
    return [made.record(f"cup/0/{deal}/{rotation}", [(bot, rotation) for bot in bots]) for rotation in range(seats)]


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    return tmp_path / "arena"


@pytest.fixture
def store(arena: Path) -> Iterator[Store]:
    with Store.open(arena, write=True) as opened:
        opened.add_tournament(made.tournament(["a", "b", "c"]))
        yield opened


def test_games_come_back_as_they_went_in_and_in_the_order_of_the_schedule(store: Store) -> None:
    late = fault(LATE, "no answer within 1000 ms", seat=1, event=0)
    first = made.record("cup/0/0/0", [("a", 3), ("b", -7)], us=[[10, 30], [5]], faults=[late], sandbox="bubblewrap")
    ids = ["cup/0/0/0", "cup/0/0/1", "cup/2/0/0", "cup/10/0/0", "cup/0/1/0", "cup/0/10/0"]
    later = [made.record(game, [("a", 1), ("b", 1)]) for game in ids[1:]]
    for record in reversed([first, *later]):
        store.add_games("cup", [record])
    assert list(store.records("cup")) == [first, *later]
    assert store.record("cup/0/0/0") == first
    assert store.finished("cup") == set(ids)
    games = list(store.played("cup"))
    assert [(game.id, game.block) for game in games] == [(game, game.rpartition("/")[0]) for game in ids]
    a, b = games[0].tally.seats
    assert games[0].tally.sandbox == "bubblewrap"
    assert (a.bot, a.points, a.rank, a.decisions, a.us, a.max_us, a.faults) == ("a", 3, 1, 2, 40, 30, ())
    assert (b.bot, b.points, b.rank, b.decisions, b.us, b.max_us, b.faults) == ("b", -7, 2, 1, 5, 5, (LATE,))


def test_tournaments_do_not_see_each_others_games(store: Store) -> None:
    store.add_tournament(made.tournament(name="cap"))
    store.add_games("cup", block(0))
    assert store.finished("cap") == set()
    assert list(store.records("cap")) == []


def test_a_second_game_of_one_id_is_a_bug_and_takes_its_batch_with_it(store: Store) -> None:
    store.add_games("cup", block(0))
    with pytest.raises(sqlite3.IntegrityError):
        store.add_games("cup", [*block(1), block(0)[1]], voids=[Void("cup/0/1/0", "late")], cpu={"a": 1.0})
    assert store.finished("cup") == {record.id for record in block(0)}
    assert (store.voids("cup"), store.cpu("cup")) == ([], {})
    store.add_games("cup", block(1))  # the store goes on


def test_voids_benchings_and_cpu_seconds(store: Store) -> None:
    store.add_games("cup", block(0), voids=[Void("cup/0/0/1", "a stall")], cpu={"a": 0.5, "b": 2.0})
    store.add_games("cup", [], benchings=[Benching("c", "5 crashes in a row")], cpu={"a": 0.25})
    [void], [benching] = store.voids("cup"), store.benchings("cup")
    assert (void.game, void.reason) == ("cup/0/0/1", "a stall")
    assert (benching.bot, benching.reason) == ("c", "5 crashes in a row")
    assert void.time.endswith("+00:00")
    assert store.cpu("cup") == {"a": 0.75, "b": 2.0}


def test_a_tournament_is_kept_and_ends_once(store: Store) -> None:
    row = store.tournament()
    given = made.tournament(["a", "b", "c"])
    assert (row.config, row.bots, row.secret) == (given.config, given.bots, given.secret)
    assert row.started
    assert row.ended is None
    store.end_tournament("cup")
    ended = store.tournament("cup").ended
    assert ended
    store.end_tournament("cup")
    assert store.tournament("cup").ended == ended


def test_a_tournament_that_is_not_there_or_not_the_only_one(store: Store, tmp_path: Path) -> None:
    store.add_tournament(made.tournament(name="cap"))
    with pytest.raises(ArenaError, match="has 2 tournaments") as several:
        store.tournament()
    assert several.value.hint == "name one: cup, cap"
    with pytest.raises(ArenaError, match="no tournament 'cop'") as unknown:
        store.tournament("cop")
    assert "did you mean 'cup'" in unknown.value.hint
    with Store.open(tmp_path / "new", write=True) as empty, pytest.raises(ArenaError, match="no tournament has begun"):
        empty.tournament()


@pytest.mark.parametrize("game", ["cup/0/9/0", "cup", "", "cap/0/0/0", "cup/x/y/z", "cup/0/0/0/0"])
def test_a_game_that_is_not_stored(store: Store, game: str) -> None:
    store.add_games("cup", block(0))
    with pytest.raises(ArenaError, match="no game"):
        store.record(game)


def test_a_damaged_row_names_its_game(store: Store, arena: Path) -> None:
    store.add_games("cup", block(0))
    with closing(sqlite3.connect(arena / "arena.db")) as other, other:
        other.execute("UPDATE games SET record = x'00', tally = x'00' WHERE rotation = 1")
    with pytest.raises(ArenaError, match="the row of game cup/0/0/1 is damaged"):
        list(store.records("cup"))
    with pytest.raises(ArenaError, match="the row of game cup/0/0/1 is damaged"):
        list(store.played("cup"))


def test_a_row_that_holds_another_game(store: Store, arena: Path) -> None:
    store.add_games("cup", block(0))
    with closing(sqlite3.connect(arena / "arena.db")) as other, other:
        other.execute("UPDATE games SET rotation = 7 WHERE rotation = 1")
    with pytest.raises(ArenaError, match=r"the row of game cup/0/0/7 is damaged \(it holds game cup/0/0/1\)"):
        list(store.records("cup"))


# Bots


@pytest.mark.parametrize("name", ODD_NAMES)
def test_bots_may_be_called_anything(store: Store, arena: Path, name: str) -> None:
    for number, other in enumerate(ODD_NAMES):
        store.add_bot(other, "1", f"digest {number}", arena / "bots" / str(number), "{}")
    assert store.find_bot(name).digest == f"digest {ODD_NAMES.index(name)}"
    assert store.find_bot(f"{name}@1").name == name
    assert [bot.name for bot in store.bots()] == ODD_NAMES


@settings(max_examples=30, deadline=None)
@given(name=st.text())
def test_any_name_plays(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    with Store.open(tmp_path_factory.mktemp("arena"), write=True) as store:
        store.add_tournament(made.tournament([name, "b"]))
        store.add_games("cup", [made.record("cup/0/0/0", [(name, 1), ("b", 0)])], cpu={name: 1.0})
        [game] = store.played("cup")
        assert game.tally.seats[0].bot == name == store.tournament().bots[0].name
        assert store.cpu("cup") == {name: 1.0}


def test_the_last_submitted_version_is_meant(store: Store, arena: Path) -> None:
    for version in ("2", "10", "1"):
        store.add_bot("careful", version, f"digest {version}", arena / "bots" / version, "{}")
    assert store.find_bot("careful").version == "1"
    assert store.find_bot("careful@10").version == "10"
    with pytest.raises(BotError, match="no bot 'carefull'") as unknown:
        store.find_bot("carefull")
    assert "did you mean 'careful'" in unknown.value.hint


def test_the_same_bot_submitted_twice_is_one_bot(store: Store, arena: Path) -> None:
    first = store.add_bot("a", "1", "digest", arena / "bots" / "a", "{}")
    assert store.add_bot("a", "1", "digest", arena / "bots" / "a", "{}") == first
    assert store.bots() == [first]
    with pytest.raises(BotError, match=r"a 1 is in .* with other contents") as taken:
        store.add_bot("a", "1", "another", arena / "bots" / "b", "{}")
    assert "raise version" in taken.value.hint
    assert store.bots() == [first]


def test_an_arena_can_be_moved(arena: Path, tmp_path: Path) -> None:
    with Store.open(arena, write=True) as store:
        store.add_bot("a", "1", "digest", arena / "bots" / "a", "{}")
    moved = arena.rename(tmp_path / "what? a #new% place")
    with Store.open(moved, write=False) as store:
        assert store.find_bot("a").folder == moved / "bots" / "a"


# Who may open it


def test_a_second_writer_is_told_who_the_first_one_is(arena: Path) -> None:
    body = "import sys\nwith Store.open(Path(sys.argv[1]), write=True): print('open', flush=True); sys.stdin.read()"
    with writer(arena, body) as first:
        assert first.stdout
        assert first.stdout.readline() == "open\n"
        with pytest.raises(ArenaError, match=f"held by process {first.pid}"), Store.open(arena, write=True):
            pass
        with Store.open(arena, write=False) as reading:
            assert reading.bots() == []
        first.kill()
        first.wait()
        with Store.open(arena, write=True) as second:
            assert second.bots() == []


def test_a_reader_sees_what_was_committed_while_it_reads(store: Store, arena: Path) -> None:
    with Store.open(arena, write=False) as reading:
        store.add_games("cup", block(0))
        assert len(reading.finished("cup")) == 3
        records = reading.records("cup")
        next(records)
        store.add_games("cup", block(1))
        assert len(list(records)) == 2, "a reading in progress is of one moment"
        assert len(reading.finished("cup")) == 6


def test_a_reader_cannot_write(store: Store, arena: Path) -> None:
    with Store.open(arena, write=False) as reading, pytest.raises(ArenaError, match="may not be written"):
        reading.add_games("cup", block(0))


@contextmanager
def nobody() -> Iterator[None]:
    """Be a user who owns nothing."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_arena_may_be_read_by_who_may_not_write_there() -> None:
    with TemporaryDirectory() as folder:
        arena = Path(folder)
        with Store.open(arena, write=True) as store:
            store.add_tournament(made.tournament())
        arena.chmod(0o555)
        with nobody():
            with Store.open(arena, write=False) as reading:
                assert reading.tournament().name == "cup"
            with pytest.raises(ArenaError, match="Permission denied"), Store.open(arena, write=True):
                pass


# What is not ours


def empty(path: Path) -> None:
    path.touch()


def text(path: Path) -> None:
    path.write_text("dear diary\n" * 100)


def foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE games (photo BLOB)")


def newer_database(path: Path) -> None:
    with Store.open(path.parent, write=True):
        pass
    with closing(sqlite3.connect(path)) as ours:
        ours.execute(f"PRAGMA user_version = {VERSION + 1}")


def torn_database(path: Path) -> None:
    with Store.open(path.parent, write=True) as store:
        store.add_tournament(made.tournament())
        store.add_games("cup", [record for deal in range(200) for record in block(deal, seats=2)])
    os.truncate(path, path.stat().st_size // 2)


STRANGE = {
    "empty": (empty, "not an arena's database"),
    "text": (text, "not an arena's database"),
    "foreign": (foreign_database, "not an arena's database"),
    "newer": (newer_database, f"newer referee \\(version {VERSION + 1}; this one knows {VERSION}\\)"),
    "torn": (torn_database, "damaged"),
}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("kind", STRANGE)
def test_a_file_that_is_not_an_arena_is_left_as_it_is(arena: Path, kind: str, write: bool) -> None:
    arena.mkdir()
    make, what = STRANGE[kind]
    make(arena / "arena.db")
    before = (arena / "arena.db").read_bytes()
    with pytest.raises(ArenaError, match=what) as refused, Store.open(arena, write=write) as store:
        list(store.records("cup"))
    assert refused.value.hint
    assert (arena / "arena.db").read_bytes() == before
    assert not (arena / "arena.db-wal").exists() or not (arena / "arena.db-wal").read_bytes()


def test_no_arena_is_made_by_reading(arena: Path) -> None:
    with pytest.raises(ArenaError, match="no arena here"), Store.open(arena, write=False):
        pass
    assert not arena.exists()


def test_a_folder_or_a_file_in_the_way(arena: Path, tmp_path: Path) -> None:
    (arena / "arena.db").mkdir(parents=True)
    for write in (True, False):
        with pytest.raises(ArenaError, match="Is a directory"), Store.open(arena, write=write):
            pass
    (tmp_path / "file").touch()
    with pytest.raises(ArenaError, match="File exists"), Store.open(tmp_path / "file", write=True):
        pass


def test_a_journal_without_its_database_is_not_taken_for_a_new_ones(arena: Path) -> None:
    arena.mkdir()
    (arena / "arena.db-wal").write_bytes(b"games")
    with pytest.raises(ArenaError, match="journal of a database that is not there"), Store.open(arena, write=True):
        pass
    assert (arena / "arena.db-wal").read_bytes() == b"games"


def test_the_file_says_whose_it_is(arena: Path) -> None:
    with Store.open(arena, write=True):
        pass
    header = (arena / "arena.db").read_bytes()[:100]
    assert int.from_bytes(header[68:72]) == APPLICATION_ID
    assert sorted(path.name for path in arena.iterdir()) == ["arena.db", "arena.lock"]


# What the machine does

NURSERY = """
import os, sys
from tests.test_store import write_on
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        write_on(Path(sys.argv[1]))
    os.waitpid(child, 0)
    print("dead", flush=True)
"""


def write_on(arena: Path) -> None:
    """Write block after block until killed, telling the process id, then each game that goes in and each block done."""
    print(os.getpid(), flush=True)
    with Store.open(arena, write=True) as store:
        deal = len(store.finished("cup")) // SEATS
        while True:
            store.add_games("cup", map(told, block(deal)))
            print("block", deal, flush=True)
            deal += 1


def told(record: GameRecord) -> GameRecord:
    print("game", record.id, flush=True)
    return record


def test_killed_at_any_instant_it_has_whole_blocks_and_all_that_were_told(arena: Path) -> None:
    with Store.open(arena, write=True) as store:
        store.add_tournament(made.tournament(["a", "b", "c"]))
    rng = random.Random(7)
    last = -1
    with writer(arena, NURSERY) as nursery:
        assert nursery.stdin
        assert nursery.stdout
        for _ in range(KILLS):
            nursery.stdin.write("next\n")
            nursery.stdin.flush()
            victim = int(nursery.stdout.readline())
            lines = [nursery.stdout.readline() for _ in range(rng.randrange(3 * (SEATS + 1)))]
            os.kill(victim, signal.SIGKILL)
            for line in nursery.stdout:
                lines.append(line)
                if line.endswith("dead\n"):  # it may follow half a line of the victim's
                    break
            last = max([last, *(int(line.split()[1]) for line in lines if line.startswith("block"))])
            with Store.open(arena, write=True) as store:  # which checks the file
                games = [record.id for record in store.records("cup")]
            deals = len(games) // SEATS
            assert games == [record.id for deal in range(deals) for record in block(deal)]
            assert last + 1 <= deals <= last + 2, "all that it told of, and at most the one that it was at"


def fill(store: Store) -> None:
    while True:
        store.add_games("cup", block(len(store.finished("cup")) // SEATS))


def test_a_full_disk(store: Store, arena: Path) -> None:
    store._sql.execute("PRAGMA max_page_count = 60")
    with pytest.raises(ArenaError, match="the disk is full") as full:
        fill(store)
    assert "free some space" in full.value.hint
    store._sql.execute("PRAGMA max_page_count = 600")
    deals, rest = divmod(len(list(store.records("cup"))), SEATS)
    assert deals
    assert not rest
    store.add_games("cup", block(deals))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "small", str(tmp_path)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no mounting here: {mounted.stderr.decode()}")
    try:
        with Store.open(tmp_path / "arena", write=True) as store:
            store.add_tournament(made.tournament(["a", "b", "c"]))
            (tmp_path / "ballast").write_bytes(bytes(100_000))
            with pytest.raises(ArenaError, match="the disk is full"):
                fill(store)
        (tmp_path / "ballast").unlink()
        with Store.open(tmp_path / "arena", write=True) as store:
            deals, rest = divmod(len(list(store.records("cup"))), SEATS)
            assert deals
            assert not rest
            store.add_games("cup", block(deals))
    finally:
        subprocess.run(["umount", tmp_path], check=True)
