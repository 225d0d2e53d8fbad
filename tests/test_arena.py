"""The arena's server against clients that come and go: real gRPC, scripted callers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
import pytest
import trio
import trio.testing

from referee.arena import SPARE_MESSAGES, Arena, Line, open_arena
from referee.v1.arena_pb2 import ArenaMessage, Ask, Asks, BotMessage, Hello, Replies, Reply, Welcome

TIMES = 1000
ASK = ArenaMessage(asks=Asks(asks=[Ask(ask_id=1)]))


@dataclass
class Caller:
    """Answers Hello with Welcome and an ask, and notes what else comes."""

    arena: Arena
    token: str
    line: Line = field(init=False)
    heard: list[str] = field(default_factory=list)
    closed: trio.Event = field(default_factory=trio.Event)
    replied: trio.Event = field(default_factory=trio.Event)

    def __post_init__(self) -> None:
        self.line = self.arena.expect(self.token, self)

    def on_hello(self, hello: Hello, ns: int) -> None:
        self.heard.append("hello")
        self.line.send(ArenaMessage(welcome=Welcome(protocol=1)))
        self.line.send(ASK)

    def on_replies(self, replies: list[Reply], ns: int) -> None:
        self.heard.append(f"{len(replies)} replies")
        self.replied.set()

    def on_malformed(self, reason: str, data: bytes, ns: int) -> None:
        self.heard.append(reason)
        self.replied.set()

    def on_closed(self, ns: int) -> None:
        self.heard.append("closed")
        self.closed.set()


class Client:
    """A bot's side of one stream."""

    def __init__(self, address: str, *first: bytes) -> None:
        self.outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        for data in first:
            self.outgoing.put(data)
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
        self.channel = grpc.insecure_channel(address, options=options)
        play = self.channel.stream_stream("/referee.v1.Arena/Play", bytes, bytes)
        self.stream: Any = play(iter(self.outgoing.get, None))  # the stubs know no next() of it

    def read(self) -> ArenaMessage:
        return ArenaMessage.FromString(next(self.stream))

    def close(self) -> None:
        self.outgoing.put(None)
        self.channel.close()


def hello(token: str) -> bytes:
    return BotMessage(hello=Hello(token=token, protocol=1)).SerializeToString()


def connect_and_close(address: str, token: str) -> None:
    Client(address, hello(token)).close()


def close_when_welcome(address: str, token: str) -> None:
    client = Client(address, hello(token))
    assert client.read().HasField("welcome")
    client.close()


def close_when_asked(address: str, token: str) -> None:
    client = Client(address, hello(token))
    client.read()
    assert client.read().HasField("asks")
    client.close()


def close_without_a_word(address: str, token: str) -> None:
    Client(address).close()


def serve(tmp_path: Path) -> str:
    return f"unix:{tmp_path / 'arena.sock'}"


@pytest.mark.parametrize("misbehave", [close_when_welcome, close_when_asked])
def test_streams_that_end_at_any_point_are_told_of_once_a_thousand_times(tmp_path: Path, misbehave: object) -> None:
    async def main() -> None:
        async with open_arena(serve(tmp_path)) as arena:
            for i in range(TIMES):
                caller = Caller(arena, str(i))
                await trio.to_thread.run_sync(misbehave, arena.address, str(i))  # type: ignore[arg-type] # a function
                await caller.closed.wait()
                assert caller.heard.count("closed") == 1
                caller.line.close()
            assert not arena._lines

    trio.run(main)


@pytest.mark.parametrize("misbehave", [connect_and_close, close_without_a_word])
def test_connections_that_say_little_or_nothing_leave_nothing(tmp_path: Path, misbehave: object) -> None:
    async def main() -> None:
        async with open_arena(serve(tmp_path)) as arena:
            for i in range(TIMES):
                await trio.to_thread.run_sync(misbehave, arena.address, str(i))  # type: ignore[arg-type] # a function
            caller = Caller(arena, "good")
            await trio.to_thread.run_sync(close_when_asked, arena.address, "good")
            await caller.closed.wait()

    trio.run(main)


def test_a_wrong_token_and_a_second_stream_are_refused_and_the_first_one_plays_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_arena(serve(tmp_path)) as arena:
            caller = Caller(arena, "right")
            await trio.to_thread.run_sync(play, arena.address)
            await caller.closed.wait()
            assert caller.heard == ["hello", "1 replies", "closed"]

    def play(address: str) -> None:
        client = Client(address, hello("right"))
        client.read()
        client.read()
        for token, code in (("wrong", "UNAUTHENTICATED"), ("right", "ALREADY_EXISTS")):
            with pytest.raises(grpc.RpcError, match=code):
                Client(address, hello(token)).read()
        with pytest.raises(grpc.RpcError, match="first message must be Hello"):
            Client(address, BotMessage(replies=Replies()).SerializeToString()).read()
        client.outgoing.put(BotMessage(replies=Replies(replies=[Reply(ask_id=1)])).SerializeToString())
        client.outgoing.put(None)
        assert not list(client.stream)

    trio.run(main)


def test_a_flood_is_left_lying(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_arena(serve(tmp_path)) as arena:
            caller = Caller(arena, "flood")
            client = await trio.to_thread.run_sync(flood, arena.address)
            while len(caller.heard) < SPARE_MESSAGES:
                await trio.sleep(0.01)
            await trio.testing.wait_all_tasks_blocked(0.2)
            assert len(caller.heard) <= SPARE_MESSAGES + 2, "hello, one message for the ask, the spare ones"
            client.close()

    def flood(address: str) -> Client:
        client = Client(address, hello("flood"))
        client.read()
        for _ in range(50 * SPARE_MESSAGES):
            client.outgoing.put(BotMessage(replies=Replies()).SerializeToString())
        return client

    trio.run(main)
