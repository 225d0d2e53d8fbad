"""The stream to the referee."""

import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue

import grpc
from google.protobuf.message import Message
from google.protobuf.text_format import MessageToString

from referee_sdk.bot import Bot
from referee_sdk.v1.arena_pb2 import ArenaMessage, Asks, BotMessage, GameOver, Hello, Replies, Reply

SDK = "referee-sdk 0.1.0 (Python)"
PROTOCOL = 1

NOT_ALONE = """\
This program is a bot. The referee starts it and tells it where to connect, in REFEREE_ADDRESS, which is not set.
Try the bot with `referee bot check DIR`, or watch it play with `referee play DIR DIR ...`; DIR is its folder."""

# A proxy is for the world outside: the referee is next door, whatever http_proxy says.
CHANNEL_OPTIONS = (("grpc.enable_http_proxy", 0),)


def run(*bots: type[Bot]) -> None:
    """Play until the referee ends the stream. Give one class for each game that the program plays.

    An exception in a bot ends the program with exit code 1 and its traceback on stderr: the game is forfeited, and
    the author can read why.
    """
    if "REFEREE_ADDRESS" not in os.environ:
        sys.exit(NOT_ALONE)
    address = os.environ["REFEREE_ADDRESS"]
    session = Session(bots)
    with grpc.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        play = channel.stream_stream(
            "/referee.v1.Arena/Play",
            request_serializer=BotMessage.SerializeToString,
            response_deserializer=ArenaMessage.FromString,
        )
        try:
            for message in play(session.outgoing()):
                session.take(message)
        except grpc.RpcError as error:
            # Once welcomed, that the referee is gone is the end of the work and no failure.
            gone = error.code() in {grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE}
            if not (session.welcomed and gone):
                sys.exit(f"The referee at {address} refused: {error.code().name}: {error.details()}")


class Session:
    """All games of this process.

    Two threads meet here. The bots think on the one that takes messages. gRPC draws outgoing messages on another, and
    ``outgoing`` gives it all answers that are ready: a quick bot's go out together, a slow bot's each stop its clock.
    """

    def __init__(self, bots: Sequence[type[Bot]]) -> None:
        """Start without games. The bots are told apart by their games."""
        self.welcomed = False
        self._classes = {bot.game: bot for bot in bots}
        self._games: dict[str, Bot] = {}
        self._ready: SimpleQueue[Reply] = SimpleQueue()
        self._concern: Message | None = None

    def outgoing(self) -> Iterator[BotMessage]:
        """Yield Hello, then answers as they become ready."""
        token = os.environ.get("REFEREE_TOKEN", "")
        yield BotMessage(hello=Hello(token=token, protocol=PROTOCOL, games=self._classes, sdk=SDK))
        while True:
            replies = [self._ready.get()]
            try:
                while True:
                    replies.append(self._ready.get_nowait())
            except Empty:
                yield BotMessage(replies=Replies(replies=replies))

    def take(self, message: ArenaMessage) -> None:
        """Do what the referee's message asks for. A bot that raises an exception ends the program."""
        try:
            match message.WhichOneof("body"):
                case "asks":
                    self._answer(message.asks)
                case "game_over":
                    self._end(message.game_over)
                case "welcome":
                    self.welcomed = True
        except Exception:
            traceback.print_exc()
            concern = MessageToString(self._concern or message, as_one_line=True)
            sys.exit(f"The bot failed at this message of the referee: {concern}")

    def _answer(self, asks: Asks) -> None:
        since = time.monotonic()
        for ask in asks.asks:
            self._concern = ask
            game = ask.WhichOneof("view")
            if game not in self._classes:
                raise LookupError(f"asked to play {game}, but this program plays {', '.join(self._classes)}")
            bot = self._games.get(ask.game_id)
            if bot is None:
                bot = self._games[ask.game_id] = self._classes[game]()
            bot.see(ask, since)
            reply = Reply(ask_id=ask.ask_id)
            bot.decide(getattr(ask, game), getattr(reply, game))
            self._ready.put(reply)
            since = time.monotonic()

    def _end(self, result: GameOver) -> None:
        self._concern = result
        bot = self._games.pop(result.game_id, None)
        if bot is not None and result.ranks:  # None: it was asked nothing in that game; no ranks: the game was void
            bot.game_over(result)
