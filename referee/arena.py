"""The gRPC server that bots dial. The only file that imports grpc.

A thread of its own runs asyncio and ``grpc.aio``; everything else of a worker is trio. Between the two go whole
messages: arrivals are stamped in this thread, the moment they are here, and handed to trio; what trio sends is stamped
as it is handed to the transport. (An aio server in one thread serves 64 streams at three times the rate of the threaded
server, which also leaves bots beyond its pool hanging in silence.)
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
import trio
from google.protobuf.message import DecodeError

from referee.clock import LagMeter
from referee.v1.arena_pb2 import ArenaMessage, BotMessage, Hello, Reply

EOF = grpc.aio.EOF  # type: ignore[attr-defined] # the stubs do not know it

PROTOCOL = 1
MAX_MESSAGE = 1 << 20
"""A larger message, in bytes, is a fault."""

TRANSPORT_LIMIT = 16 << 20
"""Beyond this gRPC ends the stream by itself: between the two limits the author is told the size."""

SPARE_MESSAGES = 32
"""How many messages beyond one an ask are read from a process: what else it floods us with is left lying."""

HELLO_PATIENCE = 60.0
"""Seconds that a connection may stay without Hello. The start limit is held elsewhere: this is for strangers."""

BEAT = 0.02
"""Seconds between beats of the lag meter."""


class Caller(Protocol):
    """Who is told what a line brings, in the trio thread. ``ns`` are monotonic stamps."""

    def on_hello(self, hello: Hello, ns: int) -> None:
        """The process says that it is ready."""

    def on_replies(self, replies: list[Reply], ns: int) -> None:
        """Answers came, in one message."""

    def on_malformed(self, reason: str, data: bytes, ns: int) -> None:
        """Something came that is no message."""

    def on_closed(self, ns: int) -> None:
        """The stream has ended, whoever ended it."""


@dataclass(slots=True)
class Sent:
    """A message on its way: when it was handed to the transport, 0 while it has not been."""

    ns: int = 0


@dataclass(slots=True, eq=False)
class Line:
    """The stream of one process, expected or open."""

    token: str
    caller: Caller
    _arena: Arena
    _credit: int = SPARE_MESSAGES
    _open: bool = False
    _outbox: asyncio.Queue[tuple[bytes, Sent] | None] = field(default_factory=asyncio.Queue)
    _readable: asyncio.Event = field(default_factory=asyncio.Event)

    def send(self, message: ArenaMessage) -> Sent:
        """Send a message; what is returned will know when that was."""
        sent = Sent()
        self._arena.call(self._push, message.SerializeToString(), sent, len(message.asks.asks))
        return sent

    def close(self) -> None:
        """End the stream after what was sent, and expect no other with this token."""
        self._arena.forget(self)

    def _push(self, data: bytes, sent: Sent, asks: int) -> None:
        if asks:
            self._credit = asks + SPARE_MESSAGES
        self._readable.set()
        self._outbox.put_nowait((data, sent))


class Arena:
    """The server: ``expect`` a process by its token, then it is a line that sends and calls back."""

    def __init__(self, trio_token: trio.lowlevel.TrioToken, address: str) -> None:
        self.address = address
        self.lag = LagMeter(int(BEAT * 1e9))
        self._to_trio = trio_token
        self._loop = asyncio.new_event_loop()
        self._lines: dict[str, Line] = {}
        self._stop = asyncio.Event()

    def expect(self, token: str, caller: Caller) -> Line:
        """Let a process in that shows this token, once."""
        line = self._lines[token] = Line(token, caller, self)
        return line

    def forget(self, line: Line) -> None:
        """Close a line and let its token in no more."""
        self._lines.pop(line.token, None)
        self.call(line._outbox.put_nowait, None)

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Run a function in the server's thread."""
        with suppress(RuntimeError):  # the loop is closed: the arena is going, and so is everyone who listens
            self._loop.call_soon_threadsafe(function, *args)

    def run(self, started: Callable[[BaseException | None], object]) -> None:
        """Serve until ``stop``; the body of the thread."""
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(started))
        self._loop.close()

    def stop(self) -> None:
        """End all streams and the server."""
        self.call(self._stop.set)

    async def _serve(self, started: Callable[[BaseException | None], object]) -> None:
        options = [("grpc.max_receive_message_length", TRANSPORT_LIMIT), ("grpc.so_reuseport", 0)]
        server = grpc.aio.server(options=options)
        play = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("referee.v1.Arena", {"Play": play}),))
        try:
            server.add_insecure_port(self.address)
            await server.start()
        except BaseException as error:
            self._to_trio.run_sync_soon(started, error)
            raise
        self._to_trio.run_sync_soon(started, None)
        beat = asyncio.create_task(self._beat())
        await self._stop.wait()
        beat.cancel()
        await server.stop(grace=0)

    async def _beat(self) -> None:
        while True:
            self.lag.beat(time.monotonic_ns())
            await asyncio.sleep(BEAT)

    async def _play(self, _: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """One process, from its Hello to its end."""
        line = await self._welcome(context)
        writer = asyncio.create_task(self._write(line, context))
        reader = asyncio.create_task(self._read(line, context))
        try:
            await asyncio.wait((writer, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writer, reader):
                task.cancel()
            self._tell(line.caller.on_closed, time.monotonic_ns())

    async def _welcome(self, context: grpc.aio.ServicerContext[Any, Any]) -> Line:
        """Return the line that the stream's Hello is for; refuse a stream without one."""
        with suppress(TimeoutError):
            data = EOF
            data = await asyncio.wait_for(context.read(), HELLO_PATIENCE)
        stamp = time.monotonic_ns()
        try:
            message = BotMessage.FromString(b"" if data is EOF or len(data) > MAX_MESSAGE else data)
        except DecodeError:
            message = BotMessage()
        line = self._lines.get(message.hello.token)
        if line is None:
            what = "this token is not known here" if message.HasField("hello") else "the first message must be Hello"
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, f"{what}: send Hello with the value of REFEREE_TOKEN")
        assert line is not None
        if line._open:
            await context.abort(
                grpc.StatusCode.ALREADY_EXISTS, "a stream with this token is open: one process, one stream"
            )
        line._open = True
        self._tell(line.caller.on_hello, message.hello, stamp)
        return line

    async def _write(self, line: Line, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        while (item := await line._outbox.get()) is not None:
            data, sent = item
            sent.ns = time.monotonic_ns()
            await context.write(data)

    async def _read(self, line: Line, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        while True:
            while line._credit <= 0:
                line._readable.clear()
                await line._readable.wait()
            data = await context.read()
            stamp = time.monotonic_ns()
            if data is EOF:
                return
            line._credit -= 1
            self._deliver(line.caller, data, stamp)

    def _deliver(self, caller: Caller, data: bytes, stamp: int) -> None:
        if len(data) > MAX_MESSAGE:
            self._tell(
                caller.on_malformed, f"a message of {len(data)} bytes; at most {MAX_MESSAGE} are taken", data, stamp
            )
            return
        try:
            message = BotMessage.FromString(data)
        except DecodeError:
            self._tell(caller.on_malformed, f"a message of {len(data)} bytes that is not a BotMessage", data, stamp)
            return
        self._tell(caller.on_replies, list(message.replies.replies), stamp)

    def _tell(self, function: Callable[..., object], *args: Any) -> None:
        with suppress(trio.RunFinishedError):
            self._to_trio.run_sync_soon(function, *args)


@asynccontextmanager
async def open_arena(address: str) -> AsyncIterator[Arena]:
    """Serve at ``unix:/path`` or ``host:port`` for as long as the block runs."""
    arena = Arena(trio.lowlevel.current_trio_token(), address)
    ready = trio.Event()
    failure: list[BaseException] = []

    def started(error: BaseException | None) -> None:
        if error:
            failure.append(error)
        ready.set()

    thread = threading.Thread(target=arena.run, args=(started,), name="arena", daemon=True)
    thread.start()
    await ready.wait()
    if failure:
        raise failure[0]
    try:
        yield arena
    finally:
        arena.stop()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(thread.join)
