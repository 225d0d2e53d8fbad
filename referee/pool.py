"""Worker processes of this machine, as a ``concurrent.futures.Executor`` in which several tasks share a process.

The standard library's process pool gives a process one task at a time; a worker must have many games in flight. So
here each process runs its tasks in threads. A worker that dies fails its tasks with WorkerLost and is replaced; one
whose parent is gone kills every process below it and follows.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from referee.bots.process import become_subreaper, kill_descendants
from referee.errors import WorkerLost

BURIAL = 1.0
"""Seconds that what was killed may take to be gone."""


class Pool(Executor):
    """``workers`` processes with ``slots`` tasks at a time each.

    At the end ``close`` runs in every one of them, for at most ``grace`` seconds.
    """

    def __init__(self, workers: int, slots: int, close: Callable[[], object], grace: float) -> None:
        self._slots, self._close, self._grace = slots, close, grace
        self._workers = [self._hire() for _ in range(workers)]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run ``fn`` in the worker that has least to do. Everything must pickle."""
        if not all(worker.alive for worker in self._workers):
            self._workers = [worker if worker.alive else self._hire() for worker in self._workers]
            kill_descendants(spare=self.pids())
        return min(self._workers, key=lambda worker: worker.load).submit(fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers; what is not done by then is lost. Another Ctrl-C changes nothing: it is ending already."""
        with _undisturbed():
            for worker in self._workers:
                worker.dismiss()
            deadline = time.monotonic() + (self._grace if wait else 0)
            for worker in self._workers:
                worker.end(max(0.0, deadline - time.monotonic()))
            _end_all()

    def pids(self) -> list[int]:
        """Return the workers' process ids."""
        return [worker.process.pid for worker in self._workers]

    def _hire(self) -> _Worker:
        return _Worker(self._slots, self._close)


class _Worker:
    """The parent's side of one worker process."""

    def __init__(self, slots: int, close: Callable[[], object]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            code = f"from referee.pool import serve; serve({theirs.fileno()})"
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the tournament, which then tells its workers
            )
        self._pipe: Connection[Any, Any] = Connection(ours.detach())
        self._pipe.send((slots, close))
        self._futures: dict[int, Future[Any]] = {}
        self._ids = count()
        self._lock = threading.Lock()
        self.alive = True
        threading.Thread(target=self._listen, name="pool", daemon=True).start()

    @property
    def load(self) -> int:
        return len(self._futures)

    def submit(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            task = next(self._ids)
            self._futures[task] = future
            try:
                self._pipe.send((task, fn, args, kwargs))
            except OSError:
                self.alive = False  # it died a moment ago: the next task goes to its successor
                self._futures.pop(task, None)
                future.set_exception(WorkerLost("a worker process ended"))
        return future

    def dismiss(self) -> None:
        with self._lock:
            try:
                self._pipe.send(None)
            except OSError:
                self.alive = False

    def end(self, patience: float) -> None:
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _listen(self) -> None:
        """Hand results to their futures until the worker is gone."""
        try:
            while True:
                task, result, error = self._pipe.recv()
                future = self._futures.pop(task)
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)
        except (EOFError, OSError):
            pass
        except Exception as error:  # a result that cannot be read here: no reason to wait for ever
            print(f"a worker's result cannot be read: {error!r}", file=sys.stderr)
            self.process.kill()
        self.alive = False
        code = self.process.wait()
        with self._lock:
            lost, self._futures = list(self._futures.values()), {}
        for future in lost:
            future.set_exception(WorkerLost(f"a worker process ended with {code}"))


def serve(fd: int) -> None:
    """Be a worker process: run what the parent sends, until it says so or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_subreaper()
    pipe: Connection[Any, Any] = Connection(fd)
    sending = threading.Lock()

    def run(task: int, fn: Callable[..., Any], args: Any, kwargs: Any) -> None:
        result, error = None, None
        try:
            result = fn(*args, **kwargs)
        except BaseException as raised:
            error = _portable(raised)
        with sending:
            pipe.send((task, result, error))

    slots, close = pipe.recv()
    threads = ThreadPoolExecutor(slots)
    try:
        while (message := pipe.recv()) is not None:
            threads.submit(run, *message)
    except (EOFError, OSError):
        kill_descendants()  # the parent is gone: nobody waits for what the bots would still do
    close()
    _end_all()
    os._exit(0)


def _portable(error: BaseException) -> BaseException:
    """Return the error as it will arrive, or if it cannot, its traceback as a RuntimeError."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C and SIGTERM, where that can be done: in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_all() -> None:
    """Kill whatever is below this process, and bury it: not every init does."""
    kill_descendants()
    deadline = time.monotonic() + BURIAL
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
