"""arena.db as a file: how it is made, who may open it, and what its troubles are called.

A file that is not ours is never opened by SQLite, which might write to it: the header is looked at first. A new
database is made under another name and moved into place whole, so that no kill leaves half of one.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from referee.errors import ArenaError

DATABASE = "arena.db"
LOCK = "arena.lock"

APPLICATION_ID = int.from_bytes(b"RFEE")
VERSION = 1

SCHEMA = """
CREATE TABLE bots (
    name TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL,
    folder TEXT NOT NULL,   -- from the arena's folder
    manifest TEXT NOT NULL, -- JSON
    submitted TEXT NOT NULL,
    PRIMARY KEY (name, version)
);
CREATE TABLE tournaments (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE, game TEXT NOT NULL,
    config TEXT NOT NULL,   -- JSON, as it was at the start
    bots TEXT NOT NULL,     -- JSON, in the order of the schedule
    blocks INTEGER NOT NULL,
    secret BLOB NOT NULL, commitment TEXT NOT NULL,
    started TEXT NOT NULL, ended TEXT
);
CREATE TABLE games (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    deal INTEGER NOT NULL, seating INTEGER NOT NULL, rotation INTEGER NOT NULL,
    tally BLOB NOT NULL,    -- MessagePack, see tally.py
    record BLOB NOT NULL,   -- GameRecord, zlib
    PRIMARY KEY (tournament, deal, seating, rotation)
);
CREATE TABLE voids (tournament INTEGER NOT NULL REFERENCES tournaments, game TEXT, reason TEXT, time TEXT);
CREATE TABLE benchings (tournament INTEGER NOT NULL REFERENCES tournaments, bot TEXT, reason TEXT, time TEXT);
CREATE TABLE cpu (
    tournament INTEGER NOT NULL REFERENCES tournaments, bot TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (tournament, bot)
);
"""

_TROUBLES = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space and run again: every stored game is whole"),
    sqlite3.SQLITE_CORRUPT: ("damaged", "restore it from a copy; `sqlite3 arena.db .recover` may save the games"),
    sqlite3.SQLITE_NOTADB: ("damaged", "restore it from a copy; `sqlite3 arena.db .recover` may save the games"),
    sqlite3.SQLITE_BUSY: ("another program keeps it locked", "close what has it open"),
    sqlite3.SQLITE_READONLY: ("it may not be written", "check the permissions of the file and its folder"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "check the permissions of the file and its folder"),
    sqlite3.SQLITE_IOERR: ("the disk failed", "check the disk and its free space, then run again"),
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite or the system says of a file into ArenaError. What only a bug can cause stays as it is."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in _TROUBLES:
            raise
        what, hint = _TROUBLES[code]
        raise ArenaError(f"{path}: {what} ({error})", hint) from error
    except OSError as error:
        raise ArenaError(f"{path}: {error.strerror}", "check the path, its permissions and the free space") from error


@contextmanager
def connection(arena: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """Open the arena's database; a writer makes it if it is not there and is the only one. Raises ArenaError."""
    path = arena / DATABASE
    if not write:
        with explained(path):
            _check_header(path)
            database = _connect(path, _reading(path))
        with closing(database):
            yield database
        return
    with explained(arena):
        arena.mkdir(parents=True, exist_ok=True)
    with _writer(arena):
        with explained(path):
            if not path.exists():
                _create(path)
            _check_header(path)
            _check_pages(path)
            database = _connect(path, "rw")
        with closing(database):
            yield database


@contextmanager
def _writer(arena: Path) -> Iterator[None]:
    """Be the arena's one writer. The lock ends with the process, however that ends; the file stays."""
    path = arena / LOCK
    with explained(path):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        with explained(path):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(lock, 20).decode("ascii", "replace").strip()
                who = f"process {holder}" if holder else "another process"
                raise ArenaError(f"{arena}: held by {who}", f"wait until {who} is done, or stop it") from None
            os.ftruncate(lock, 0)
            os.write(lock, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(lock)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    # A commit survives any death of the process; a loss of power may take the last ones, which a resumed run plays
    # again. So it need not wait for the disk.
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("PRAGMA foreign_keys = ON")
    return database


def _reading(path: Path) -> str:
    """Return the mode to read with. In a folder where SQLite cannot put its index of the journal it must not try to."""
    journal = path.with_name(f"{path.name}-wal")
    may = os.access(path.parent, os.W_OK, effective_ids=True)
    return "ro" if may or journal.exists() else "ro&immutable=1"


def _create(path: Path) -> None:
    journal = path.with_name(f"{path.name}-wal")
    if journal.exists():
        raise ArenaError(
            f"{journal}: the journal of a database that is not there",
            f"put {path.name} back beside it, or move the journal away to start anew",
        )
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with closing(_connect(new, "rwc")) as database:
        database.executescript(f"BEGIN; {SCHEMA}; COMMIT")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("PRAGMA journal_mode = WAL")
    new.rename(path)


def _check_header(path: Path) -> None:
    """Raise ArenaError unless the file is an arena's, of a version we know (offsets: SQLite's database file format)."""
    if not path.exists():
        raise ArenaError(f"{path.parent}: no arena here", "name one with --arena DIR, or make it with `referee init`")
    with path.open("rb") as file:
        header = file.read(100)
    version, application = int.from_bytes(header[60:64]), int.from_bytes(header[68:72])
    if not header.startswith(b"SQLite format 3\0") or application != APPLICATION_ID:
        raise ArenaError(f"{path}: not an arena's database", "it was left as it is; choose another --arena DIR")
    if version > VERSION:
        raise ArenaError(
            f"{path}: written by a newer referee (version {version}; this one knows {VERSION})", "install that referee"
        )


def _check_pages(path: Path) -> None:
    """Raise ArenaError if the file is torn. It is opened for reading only, so a torn file stays as it is."""
    with closing(_connect(path, "ro")) as database:
        [problem], *_ = database.execute("PRAGMA quick_check(1)")
    if problem != "ok":
        raise ArenaError(f"{path}: damaged ({problem})", _TROUBLES[sqlite3.SQLITE_CORRUPT][1])
