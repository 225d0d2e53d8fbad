"""A bot for 6 nimmt! that misbehaves on the wire, in the way its argument names. `python3 bot.py --list` tells them.

It talks gRPC by itself, without the SDK, because the SDK would not let it. In everything else it plays the first legal
choice, at once.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import sys
import time

import grpc
from referee_sdk.v1.arena_pb2 import ArenaMessage, Ask, BotMessage, Hello, Replies, Reply
from referee_sdk.v1.six_nimmt_pb2 import SixNimmtChoice, SixNimmtDecision

FOREVER = 3600.0


def answer(ask: Ask) -> SixNimmtChoice:
    view = ask.six_nimmt
    match view.decision:
        case SixNimmtDecision.SIX_NIMMT_DECISION_PLAY_CARD:
            return SixNimmtChoice(play_card=view.hand[0])
        case SixNimmtDecision.SIX_NIMMT_DECISION_DRAFT:
            return SixNimmtChoice(draft=view.table[0])
        case SixNimmtDecision.SIX_NIMMT_DECISION_CHOOSE_END:
            return SixNimmtChoice(choose_end=view.row_choices[0])
    return SixNimmtChoice(choose_row=0)


def replies(*pairs: tuple[int, SixNimmtChoice]) -> bytes:
    return BotMessage(
        replies=Replies(replies=[Reply(ask_id=i, six_nimmt=choice) for i, choice in pairs])
    ).SerializeToString()


class Bot:
    """An honest bot; the misbehaviours below override a step of it."""

    protocol = 1
    games = ("six_nimmt",)

    def __init__(self) -> None:
        self.outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def token(self) -> str:
        return os.environ["REFEREE_TOKEN"]

    def hello(self) -> bytes:
        message = Hello(token=self.token(), protocol=self.protocol, games=self.games, sdk="zoo")
        return BotMessage(hello=message).SerializeToString()

    def before(self) -> None:
        """Before it connects."""

    def welcomed(self) -> None:
        """After Welcome."""

    def asked(self, asks: list[Ask]) -> None:
        self.send(replies(*((ask.ask_id, answer(ask)) for ask in asks)))

    def game_over(self, game_id: str) -> None:
        """After a game."""

    def send(self, data: bytes | None) -> None:
        self.outgoing.put(data)

    def run(self) -> None:
        self.before()
        channel = grpc.insecure_channel(
            os.environ["REFEREE_ADDRESS"],
            options=[("grpc.max_send_message_length", -1), ("grpc.default_authority", "referee")],
        )
        self.send(self.hello())
        play = channel.stream_stream("/referee.v1.Arena/Play", bytes, bytes)
        try:
            for data in play(iter(self.outgoing.get, None)):
                message = ArenaMessage.FromString(data)
                if message.HasField("welcome"):
                    self.welcomed()
                elif message.HasField("asks"):
                    self.asked(list(message.asks.asks))
                else:
                    self.game_over(message.game_over.game_id)
        except grpc.RpcError as error:
            print("the stream ended:", error, file=sys.stderr)
        self.after()

    def after(self) -> None:
        """After the stream has ended."""


ZOO: dict[str, type[Bot]] = {}


def animal(bot: type[Bot]) -> type[Bot]:
    ZOO[bot.__name__] = bot
    return bot


def choosing(name: str, choice: SixNimmtChoice, doc: str) -> None:
    """Add a bot that plays that instead of a card."""

    def choose(ask: Ask) -> SixNimmtChoice:
        plays = ask.six_nimmt.decision == SixNimmtDecision.SIX_NIMMT_DECISION_PLAY_CARD
        return choice if plays else answer(ask)

    def asked(self: Bot, asks: list[Ask]) -> None:
        self.send(replies(*((ask.ask_id, choose(ask)) for ask in asks)))

    animal(type(name, (Bot,), {"asked": asked, "__doc__": doc}))


@animal
class honest(Bot):
    """Does nothing wrong."""


@animal
class exits_before_connecting(Bot):
    """Exits with code 7 at once."""

    def before(self) -> None:
        print("I could not find my model", file=sys.stderr)
        sys.exit(7)


@animal
class never_connects(Bot):
    """Starts and does nothing."""

    def before(self) -> None:
        time.sleep(FOREVER)


@animal
class connects_and_closes(Bot):
    """Ends its stream after Welcome, and exits."""

    def welcomed(self) -> None:
        os._exit(0)


@animal
class exits_when_asked(Bot):
    """Exits with code 3 between ask and answer."""

    def asked(self, asks: list[Ask]) -> None:
        print("Traceback: something was None", file=sys.stderr, flush=True)
        os._exit(3)


@animal
class killed_when_asked(Bot):
    """Dies of a signal between ask and answer."""

    def asked(self, asks: list[Ask]) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


@animal
class exits_while_written_to(Bot):
    """Exits a moment after its answer, while the referee may be writing to it."""

    def asked(self, asks: list[Ask]) -> None:
        super().asked(asks)
        if asks[0].six_nimmt.trick == 3:
            os._exit(0)


@animal
class hangs(Bot):
    """Never answers."""

    def asked(self, asks: list[Ask]) -> None:
        pass


@animal
class answers_late(Bot):
    """Answers its second message of asks a little after the limit."""

    messages = 0

    def asked(self, asks: list[Ask]) -> None:
        self.messages += 1
        if self.messages == 2:
            time.sleep(asks[0].clock.limit_us * 1.3 / 1e6)
        super().asked(asks)


@animal
class chatters(Bot):
    """Never answers, but never falls silent: empty replies, unknown ids, Hellos."""

    def asked(self, asks: list[Ask]) -> None:
        junk = (replies(), replies((999_999, answer(asks[0]))), self.hello())
        end = time.monotonic() + FOREVER
        while time.monotonic() < end:
            for data in junk:
                self.send(data)
            time.sleep(0.01)


@animal
class answers_twice(Bot):
    """Sends every answer twice, in one message and again in another."""

    def asked(self, asks: list[Ask]) -> None:
        pairs = [(ask.ask_id, answer(ask)) for ask in asks]
        self.send(replies(*pairs, *pairs))
        self.send(replies(*pairs))


@animal
class answers_for_others(Bot):
    """Also answers asks that were never its own."""

    def asked(self, asks: list[Ask]) -> None:
        self.send(replies(*((ask.ask_id + 1000, answer(ask)) for ask in asks)))
        super().asked(asks)


@animal
class sends_five_mebibytes(Bot):
    """Answers with a message of 5 MiB."""

    def asked(self, asks: list[Ask]) -> None:
        for _ in asks:
            self.send(bytes(5 << 20))


@animal
class sends_garbage_messages(Bot):
    """Answers with bytes that are no message."""

    def asked(self, asks: list[Ask]) -> None:
        for _ in asks:
            self.send(b"\xff" * 100)


@animal
class answers_for_ten(Bot):
    """Answers with a choice for another game."""

    def asked(self, asks: list[Ask]) -> None:
        message = BotMessage()
        for ask in asks:
            reply = message.replies.replies.add(ask_id=ask.ask_id)
            reply.ten.SetInParent()
        self.send(message.SerializeToString())


@animal
class answers_nothing(Bot):
    """Sends replies without a choice."""

    def asked(self, asks: list[Ask]) -> None:
        message = BotMessage(replies=Replies(replies=[Reply(ask_id=ask.ask_id) for ask in asks]))
        self.send(message.SerializeToString())


@animal
class talks_no_http(Bot):
    """Writes garbage to the socket instead of HTTP/2, and waits."""

    def before(self) -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(os.environ["REFEREE_ADDRESS"].removeprefix("unix:"))
            line.sendall(b"\x00garbage\r\n" * 100)
            line.recv(1 << 16)
        time.sleep(FOREVER)


@animal
class shows_a_wrong_token(Bot):
    """Guesses a token."""

    def token(self) -> str:
        return "0" * 32

    def after(self) -> None:
        time.sleep(FOREVER)


@animal
class connects_twice(Bot):
    """Opens a second stream with its token; plays on if that is refused."""

    def welcomed(self) -> None:
        twin = grpc.insecure_channel(os.environ["REFEREE_ADDRESS"], options=[("grpc.default_authority", "twin")])
        try:
            for _ in twin.stream_stream("/referee.v1.Arena/Play", bytes, bytes)(iter([self.hello()])):
                os._exit(9)
        except grpc.RpcError as error:
            print("the second stream:", error.code(), file=sys.stderr, flush=True)


@animal
class speaks_protocol_2(Bot):
    """Says Hello for a protocol that is not spoken."""

    protocol = 2


@animal
class minds_one_game(Bot):
    """Exits with code 5 when it is asked about a second game before the first one is over."""

    game = ""

    def asked(self, asks: list[Ask]) -> None:
        games = {ask.game_id for ask in asks} | ({self.game} if self.game else set())
        if len(games) > 1:
            os._exit(5)
        self.game = games.pop()
        super().asked(asks)

    def game_over(self, game_id: str) -> None:
        self.game = ""


@animal
class remembers(Bot):
    """Keeps the tricks of each game, and exits with code 6 if a game goes back in time without having ended."""

    def __init__(self) -> None:
        super().__init__()
        self.tricks: dict[str, tuple[int, int]] = {}

    def asked(self, asks: list[Ask]) -> None:
        for ask in asks:
            trick = ask.six_nimmt.deal, ask.six_nimmt.trick
            if trick < self.tricks.get(ask.game_id, trick):
                os._exit(6)
            self.tricks[ask.game_id] = trick
        super().asked(asks)

    def game_over(self, game_id: str) -> None:
        self.tricks.pop(game_id, None)


@animal
class plays_chess(Bot):
    """Says Hello for another game."""

    games = ("chess",)


@animal
class stays_after_the_end(Bot):
    """Ignores SIGTERM, and does not exit when its stream ends."""

    def before(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def after(self) -> None:
        time.sleep(FOREVER)


choosing("plays_a_card_it_does_not_hold", SixNimmtChoice(play_card=105), "Plays the card 105.")
choosing("chooses_a_row_instead", SixNimmtChoice(choose_row=4), "Chooses row 4 when it is to play a card.")
choosing("drafts_instead", SixNimmtChoice(draft=1), "Drafts card 1 when it is to play a card.")
choosing("chooses_nothing", SixNimmtChoice(), "Sends an empty choice.")


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["--list"]):
        for name, kind in ZOO.items():
            print(f"{name:32} {kind.__doc__}")
    else:
        ZOO[sys.argv[1]]().run()
