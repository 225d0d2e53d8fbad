"""The referee's side of the stream, for bots under test: a test says what is sent, and sees what comes."""

from __future__ import annotations

import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc

from referee.v1.arena_pb2 import ArenaMessage, Ask, Asks, BotMessage, Clock, Reply, Welcome
from referee.v1.six_nimmt_pb2 import SixNimmtView
from referee.v1.ten_pb2 import TenView

PATIENCE = 60.0
"""Seconds that a bot may take for anything before the test fails; reached only by a bot that hangs."""

TOKEN = "the token"


class Peer:
    """A server that one bot process talks to."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.process: subprocess.Popen[str] | None = None
        self._outgoing: queue.Queue[ArenaMessage | Exception | None] = queue.Queue()
        self._incoming: queue.Queue[BotMessage] = queue.Queue()
        self._replies: list[Reply] = []

    def start(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        environment = {**os.environ, **(environment or {}), "REFEREE_ADDRESS": self.address, "REFEREE_TOKEN": TOKEN}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def receive(self) -> BotMessage:
        return self._incoming.get(timeout=PATIENCE)

    def send(self, message: ArenaMessage) -> None:
        self._outgoing.put(message)

    def welcome(self) -> BotMessage:
        """Receive Hello and answer it."""
        hello = self.receive()
        self.send(ArenaMessage(welcome=Welcome(protocol=1, bot="bot", version="1")))
        return hello

    def ask(self, *asks: Ask) -> None:
        """Send asks in one message, their ids as they are."""
        self.send(ArenaMessage(asks=Asks(asks=asks)))

    def reply(self) -> Reply:
        """Return the next reply, whatever message it comes in."""
        while not self._replies:
            self._replies += self.receive().replies.replies
        return self._replies.pop(0)

    def end(self, refusal: str = "") -> tuple[int, str, str]:
        """End the stream, with an error if there is a refusal; return the bot's exit code, stdout and stderr."""
        self._outgoing.put(PermissionError(refusal) if refusal else None)
        return self.ended()

    def ended(self) -> tuple[int, str, str]:
        """Wait for the bot's own end."""
        assert self.process
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def play(self, requests: Iterator[BotMessage], context: grpc.ServicerContext) -> Iterator[ArenaMessage]:
        """The handler: a thread each way."""
        threading.Thread(target=self._read, args=[requests], daemon=True).start()
        while (message := self._outgoing.get()) is not None:
            if isinstance(message, Exception):
                context.abort(grpc.StatusCode.PERMISSION_DENIED, str(message))
            yield message

    def close(self) -> None:
        self._outgoing.put(None)
        if self.process:
            self.process.kill()
            self.process.communicate()

    def _read(self, requests: Iterator[BotMessage]) -> None:
        with suppress(grpc.RpcError):  # how gRPC tells that a stream broke
            for message in requests:
                self._incoming.put(message)


@contextmanager
def serving() -> Iterator[Peer]:
    """Serve one bot; its process is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:  # not pytest's: the path of a socket must be short
        peer = Peer(f"unix:{folder}/socket")
        handler = grpc.stream_stream_rpc_method_handler(
            peer.play, request_deserializer=BotMessage.FromString, response_serializer=ArenaMessage.SerializeToString
        )
        server = grpc.server(futures.ThreadPoolExecutor(2))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("referee.v1.Arena", {"Play": handler}),))
        server.add_insecure_port(peer.address)
        server.start()
        try:
            yield peer
        finally:
            peer.close()
            server.stop(grace=None).wait()


def ask(ask_id: int, view: SixNimmtView | TenView, *, game_id: str = "t/0/0/0", seat: int = 0) -> Ask:
    """Return an ask with a second on its clock."""
    clock = Clock(limit_us=1_000_000)
    if isinstance(view, TenView):
        return Ask(ask_id=ask_id, game_id=game_id, seat=seat, clock=clock, ten=view)
    return Ask(ask_id=ask_id, game_id=game_id, seat=seat, clock=clock, six_nimmt=view)
