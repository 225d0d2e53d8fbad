"""Worker processes: many tasks in each, replaced when they die."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import RefereeError, WorkerLost
from referee.pool import Pool
from tests.e2e.host import wait_gone

_together = threading.Barrier(4)


def nothing() -> None:
    """A worker with nothing to close."""


def meet() -> int:
    """Return when four of us run in one process."""
    _together.wait(60)
    return os.getpid()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Stubborn(Exception):
    """It pickles, and does not unpickle."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def be_stubborn() -> None:
    raise Stubborn(1, 2)


def complain() -> None:
    raise RefereeError("the machine is unfit", "get another")


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool(1, 4, nothing, 5) as pool:
        yield pool


def test_tasks_share_a_process(pool: Pool) -> None:
    futures = [pool.submit(meet) for _ in range(4)]
    assert {future.result(60) for future in futures} == set(pool.pids())


def test_errors_come_back_whole(pool: Pool) -> None:
    with pytest.raises(RefereeError, match="unfit") as caught:
        pool.submit(complain).result(60)
    assert caught.value.hint == "get another"


def test_an_error_that_cannot_travel_arrives_as_text(pool: Pool) -> None:
    with pytest.raises(RuntimeError, match="Stubborn: 1 and 2"):
        pool.submit(be_stubborn).result(60)


def test_a_worker_that_dies_fails_its_tasks_and_is_replaced(pool: Pool) -> None:
    [first] = pool.pids()
    with pytest.raises(WorkerLost, match="-9"):
        pool.submit(die).result(60)
    assert pool.submit(os.getpid).result(60) != first


def test_nothing_is_left_after_shutdown() -> None:
    pool = Pool(2, 1, nothing, 5)
    pids = set(pool.pids())
    assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    pool.shutdown()
    wait_gone(pids, 10)
