"""The Python SDK, by bots that run in processes of their own and a peer that says what the referee would."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import referee_sdk
from referee_sdk import SixNimmtBot, connection

from referee.v1.arena_pb2 import ArenaMessage, FaultKind, FaultNotice, GameOver
from referee.v1.six_nimmt_pb2 import SixNimmtCards, SixNimmtDecision, SixNimmtView
from tests.scripted_peer import TOKEN, Peer, ask, serving

SDK = Path(referee_sdk.__file__).parent.parent

LOWEST = """
from referee_sdk import SixNimmtBot, run

class Lowest(SixNimmtBot):
    def play_card(self, view):
        return min(view.hand)

run(Lowest)
"""


def view(*hand: int, decision: str = "PLAY_CARD", **fields: object) -> SixNimmtView:
    rows = [SixNimmtCards(cards=cards) for cards in ([10], [20, 25], [30], [41, 42, 43])]
    kind = SixNimmtDecision.Value(f"SIX_NIMMT_DECISION_{decision}")
    return SixNimmtView(decision=kind, hand=hand, rows=rows, **fields)  # type: ignore[arg-type] # protobuf checks them


@pytest.fixture
def peer() -> Iterator[Peer]:
    with serving() as peer:
        yield peer


def start(peer: Peer, folder: Path, source: str) -> None:
    (folder / "bot.py").write_text(source)
    peer.start([sys.executable, "bot.py"], folder)


def test_hello_then_answers_to_every_decision_then_a_quiet_end(peer: Peer, tmp_path: Path) -> None:
    start(peer, tmp_path, LOWEST)
    hello = peer.welcome().hello
    assert (hello.token, hello.protocol, list(hello.games)) == (TOKEN, 1, ["six_nimmt"])
    peer.ask(
        ask(7, view(8, 5, 9), game_id="a"),
        ask(8, view(5, decision="CHOOSE_ROW", card=5, row_choices=[0, 1, 2, 3]), game_id="a"),
        ask(9, view(5, decision="CHOOSE_END", card=5, row_choices=[3, 2]), game_id="b"),
        ask(10, view(decision="DRAFT", table=[4, 6]), game_id="c"),
    )
    answers = [peer.reply() for _ in range(4)]
    assert [answer.ask_id for answer in answers] == [7, 8, 9, 10]
    assert answers[0].six_nimmt.play_card == 5
    assert answers[1].six_nimmt.choose_row == 0, "10 and 30 cost 3 heads each, the others more"
    assert answers[2].six_nimmt.choose_end == 2, "one card lies there, three in the other row"
    assert answers[3].six_nimmt.draft == 4
    assert peer.end() == (0, "", "")


def test_one_object_a_game_from_its_first_ask_to_its_end(peer: Peer, tmp_path: Path) -> None:
    source = LOWEST.replace(
        "    def play_card(self, view):\n        return min(view.hand)",
        """
    asked = 0

    def play_card(self, view):
        self.asked += 1
        print(self.game_id, self.seat, self.asked)
        return view.hand[0]

    def game_over(self, result):
        print("over", self.game_id, self.asked, result.ranks[self.seat], result.faults[0].reason)
""",
    )
    start(peer, tmp_path, source)
    peer.welcome()
    peer.ask(ask(1, view(1, 2), game_id="a", seat=1), ask(2, view(1, 2), game_id="b"))
    peer.ask(ask(3, view(1, 2), game_id="a", seat=1))
    fault = FaultNotice(kind=FaultKind.FAULT_KIND_LATE, reason="slow")
    for game_id in ("a", "never asked"):
        peer.send(
            ArenaMessage(game_over=GameOver(game_id=game_id, seat=1, ranks=[2, 1], points=[0, 9], faults=[fault]))
        )
    peer.ask(ask(4, view(1, 2), game_id="a", seat=1))
    assert [peer.reply().ask_id for _ in range(4)] == [1, 2, 3, 4]
    code, out, err = peer.end()
    assert out.splitlines() == ["a 1 1", "b 0 1", "a 1 2", "over a 2 1 slow", "a 1 1"]
    assert (code, err) == (0, "")


def test_an_answer_leaves_while_the_bot_thinks_about_the_next(peer: Peer, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    start(peer, tmp_path, LOWEST.replace("return min", 'self.game_id == "b" and open("go").close(); return min'))
    peer.welcome()
    peer.ask(ask(1, view(1, 2), game_id="a"), ask(2, view(1, 2), game_id="b"))
    assert peer.reply().ask_id == 1
    (tmp_path / "go").open("w").close()  # the bot waited for this
    assert peer.reply().ask_id == 2


def test_the_answers_of_a_quick_bot_go_out_together(peer: Peer, tmp_path: Path) -> None:
    start(peer, tmp_path, LOWEST)
    peer.welcome()
    peer.ask(*(ask(number, view(number, 99)) for number in range(1, 65)))
    messages, cards = 0, list[int]()
    while len(cards) < 64:
        cards += [reply.six_nimmt.play_card for reply in peer.receive().replies.replies]
        messages += 1
    assert cards == list(range(1, 65))
    assert messages < 64


@pytest.mark.parametrize(
    ("returned", "error"),
    [("1 // 0", "ZeroDivisionError"), ("None", "TypeError"), ("-3", "ValueError"), ("'7'", "TypeError")],
)
def test_a_bot_that_fails_says_where_and_ends(peer: Peer, tmp_path: Path, returned: str, error: str) -> None:
    start(peer, tmp_path, LOWEST.replace("min(view.hand)", returned))
    peer.welcome()
    peer.ask(ask(1, view(77, 78), game_id="cup/3/1/0", seat=2))
    code, out, err = peer.ended()
    assert (code, out) == (1, "")
    assert error in err
    assert 'game_id: "cup/3/1/0" seat: 2' in err
    assert "hand: 77" in err


def test_a_game_that_the_program_does_not_play(peer: Peer, tmp_path: Path) -> None:
    start(peer, tmp_path, LOWEST.replace("SixNimmtBot", "TenBot").replace("play_card", "draw_or_stop"))
    assert peer.welcome().hello.games == ["ten"]
    peer.ask(ask(1, view(1, 2)))
    code, _, err = peer.ended()
    assert code == 1
    assert "asked to play six_nimmt, but this program plays ten" in err


def test_a_refused_bot_says_why(peer: Peer, tmp_path: Path) -> None:
    start(peer, tmp_path, LOWEST)
    peer.receive()
    code, _, err = peer.end(refusal="this token is not known")
    assert code == 1
    assert "PERMISSION_DENIED: this token is not known" in err


def test_run_by_hand_it_says_how_to_run_it(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "REFEREE_ADDRESS"}
    ended = subprocess.run(
        [sys.executable, "-c", LOWEST], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "referee bot check DIR" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_clock_runs() -> None:
    class Patient(SixNimmtBot):
        def play_card(self, view: referee_sdk.SixNimmtView) -> int:
            return view.hand[0]

    bot = Patient()
    bot.see(ask(1, view(1, 2)), time.monotonic() - 0.4)  # type: ignore[arg-type] # the same message by another name
    first = bot.clock
    assert bot.clock <= first <= 600


def test_a_bot_needs_nothing_of_the_referee() -> None:
    """Every module of the SDK is imported where importing the referee, or what only it depends on, is an error."""
    modules = [
        ".".join(file.relative_to(SDK).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted((SDK / "referee_sdk").rglob("*.py"))
    ]
    assert "referee_sdk.v1.ten_pb2" in modules
    refusing = """
import sys, importlib

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"referee", "trio", "msgspec", "numpy", "typer", "rich", "jinja2"}:
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
for module in sys.argv[1:]:
    importlib.import_module(module)
"""
    subprocess.run([sys.executable, "-c", refusing, *modules], check=True)


def test_hello_tells_the_version_that_is_installed() -> None:
    version = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]["version"]
    assert f"referee-sdk {version} " in connection.SDK
