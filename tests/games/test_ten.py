"""TEN between seats: the rules, in their order."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from referee.games import WrongKind
from referee.games.ten_cards import deck
from referee.games.ten_turns import Options, Player, State
from referee.v1.ten_pb2 import TenAction, TenBid, TenBuy, TenChoice, TenDecision, TenDeck
from tests.games.ten_play import (
    CURRENCY,
    DRAW,
    KEEP_TOKEN,
    NO_BUY,
    NUMBERS,
    PASS,
    RATHER_BUY,
    TEN,
    bid,
    buy,
    has,
    legal,
    pay,
    payment,
    play,
    refusal,
    table,
    tokens,
    told,
)

MORE = " r1 r1 r1 r1"
"""Cards at the end of a deck, so that a turn is not the last one."""

NO_ACTION = TenChoice(draw_or_stop=TenAction.TEN_ACTION_UNSPECIFIED)
VARIANT = Options(busting_variant=True)


def next_turn(state: State) -> tuple[str | None, int]:
    return state.asked, state.decider


class TestStart:
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_five_tokens_and_a_first_card_that_nobody_chose(self, seats: int) -> None:
        state = TEN.new(seats, Options(), Random(3))
        assert state.players == (has(),) * seats
        assert state.drawn == 1
        assert Counter(state.deck) == Counter(deck(seats))

    def test_anybody_may_start(self) -> None:
        assert {TEN.new(3, Options(), Random(seed)).active for seed in range(30)} == {0, 1, 2}

    def test_the_record_has_the_deck(self) -> None:
        state = TEN.new(3, Options(), Random(3))
        assert list(TEN.events(None, state)) == [TenDeck(cards=state.deck, first_seat=state.active)]
        assert list(TEN.events(state, play(state, legal(state)[0]))) == []


class TestDraw:
    def test_the_choice_is_numbers_by_default_currency_or_another_card(self) -> None:
        assert legal(table("r1 r2", has(), has())) == [NUMBERS, CURRENCY, DRAW]

    def test_exactly_ten_is_safe(self) -> None:
        state = play(table("r4 b6" + MORE, has(), has()), DRAW)
        assert next_turn(state) == ("draw_or_stop", 0)
        assert TEN.view(state, 0).net == 10

    def test_the_net_may_be_negative_and_makes_room(self) -> None:
        state = play(table("$5 $4 r9 b9" + MORE, has(), has()), DRAW)
        assert TEN.view(state, 0).net == -9
        state = play(state, DRAW, DRAW)
        assert (TEN.view(state, 0).net, TEN.view(state, 0).currency) == (9, 9)

    def test_the_first_worked_example(self) -> None:
        state = play(table("r3 $4 b7 $2 r6", has(), has()), DRAW, DRAW, DRAW)
        assert (TEN.view(state, 0).net, TEN.view(state, 0).currency) == (4, 6)
        assert next_turn(play(state, DRAW)) == ("draw_or_stop", 0)
        for bust in ("r7", "$5"):
            again = play(table(f"r3 $4 b7 $2 {bust}" + MORE, has(), has()), DRAW, DRAW, DRAW, DRAW)
            assert again.players[0].bust_tokens == 1
            assert again.active == 1

    def test_nobody_draws_from_an_empty_deck(self) -> None:
        state = table("r1", has(), has())
        assert legal(state) == [NUMBERS, CURRENCY]
        assert refusal(state, DRAW) == "draws, but all 1 cards of the deck are drawn"


class TestBust:
    def test_by_number_feeds_the_market_and_the_others(self) -> None:
        state = play(table("r4 $3 b5 o9 g1" + MORE, has(), has(), has(tokens=9)), DRAW, DRAW, DRAW)
        assert state.market == ("r4", "b5", "o9")
        assert state.players[0] == has(bust_tokens=1)
        assert tokens(state) == [5, 8, 10]
        assert state.discards == ("$3",)
        assert (state.tableau, state.active) == (("g1",), 1)

    def test_by_currency_feeds_nobody(self) -> None:
        state = play(table("$3 r7 $4 $5 g1" + MORE, has(), has(), has()), DRAW, DRAW, DRAW)
        assert state.market == ("r7",)
        assert state.players[0] == has(bust_tokens=1)
        assert tokens(state) == [5, 5, 5]
        assert state.discards == ("$3", "$4", "$5")

    def test_nobody_is_asked_about_the_token_without_the_variant(self) -> None:
        state = play(table("r5 b6 g1" + MORE, has(), has(), market="r1"), DRAW)
        assert next_turn(state) == ("draw_or_stop", 1)


class TestBustingVariant:
    state = play(table("r4 $3 b5 o9 g1" + MORE, has(), has(), options=VARIANT), DRAW, DRAW, DRAW)

    def test_the_token_is_the_default(self) -> None:
        assert legal(self.state) == [KEEP_TOKEN, RATHER_BUY]
        state = play(self.state, KEEP_TOKEN)
        assert state.players == (has(bust_tokens=1), has(tokens=8))

    def test_the_busting_cards_are_for_sale_already(self) -> None:
        view = TEN.view(self.state, 0)
        assert list(view.buyable) == ["r4", "b5"]
        assert list(view.tableau) == ["$3"]

    def test_the_buy_comes_before_the_others_gain(self) -> None:
        state = play(self.state, RATHER_BUY)
        assert next_turn(state) == ("buy", 0)
        assert tokens(state) == [5, 5]
        state = play(state, buy("r4", 4))
        assert state.players == (has("r4", tokens=1), has(tokens=8))
        assert state.discards == ("$3",)
        assert next_turn(state) == ("draw_or_stop", 1)

    def test_whoever_then_buys_nothing_has_neither(self) -> None:
        assert play(self.state, RATHER_BUY, NO_BUY).players == (has(), has(tokens=8))

    def test_after_a_currency_bust_nobody_gains(self) -> None:
        state = table("r4 $5 $5 $5 g1" + MORE, has(), has(), options=VARIANT)
        state = play(state, DRAW, DRAW, DRAW, RATHER_BUY, buy("r4", 4))
        assert state.players == (has("r4", tokens=1), has())

    def test_where_nothing_can_be_bought_the_token_is_forced(self) -> None:
        poor = play(table("r5 b9 g1" + MORE, has(tokens=4), has(), options=VARIANT), DRAW)
        assert legal(poor) == [KEEP_TOKEN]
        assert refusal(poor, RATHER_BUY) == (
            "chooses a buy, but with 4 tokens, 0 bust tokens and 0 cards can buy no card of the market: r5 b9"
        )


class TestRewards:
    def test_the_numbers_are_ones_own_and_the_currency_everybody_elses(self) -> None:
        state = play(table("r4 $3 r4 $2 g1" + MORE, has("b1"), has(), has(tokens=7)), DRAW, DRAW, DRAW, NUMBERS)
        assert state.players == (has("b1 r4 r4"), has(tokens=10), has(tokens=10))
        assert state.discards == ("$3", "$2")
        assert next_turn(state) == ("buy", 0)

    def test_the_currency_is_ones_own_and_the_numbers_go_to_the_market(self) -> None:
        state = play(table("r4 $3 r4 g1" + MORE, has(), has(), market="b9"), DRAW, DRAW, CURRENCY)
        assert state.players == (has(tokens=8), has())
        assert state.market == ("b9", "r4", "r4")
        assert state.discards == ("$3",)
        assert next_turn(state) == ("draw_or_stop", 1)

    def test_ten_tokens_are_the_most_and_bust_tokens_do_not_count(self) -> None:
        state = play(table("$5 $4 g1" + MORE, has(tokens=9, bust_tokens=4), has()), DRAW, CURRENCY)
        assert state.players[0] == has(tokens=10, bust_tokens=4)

    def test_either_reward_may_be_empty(self) -> None:
        assert play(table("$4 g1" + MORE, has(), has()), NUMBERS).players == (has(), has(tokens=9))
        assert play(table("r4 g1" + MORE, has(), has()), CURRENCY).players == (has(), has())


class TestAuction:
    def test_from_the_left_of_the_active_seat_one_chance_each(self) -> None:
        state = table("*5 g1" + MORE, has(), has(), has(), active=1)
        assert next_turn(state) == ("bid", 2)
        state = play(state, bid(2))
        assert next_turn(state) == ("bid", 0)
        state = play(state, PASS)
        assert next_turn(state) == ("bid", 1)
        state = play(state, bid(4))
        assert next_turn(state) == ("pay", 1)
        state = play(state, pay(4))
        assert state.players == (has(), has("*5", tokens=1), has())
        assert next_turn(state) == ("draw_or_stop", 1)

    def test_what_may_be_bid(self) -> None:
        state = table("*5", has("r1", tokens=2, bust_tokens=1), has("r1 b#", tokens=3, bust_tokens=2))
        assert legal(state) == [bid(amount) for amount in range(12)]
        assert legal(play(state, bid(4))) == [PASS, bid(5), bid(6)]
        assert legal(play(state, bid(6))) == [PASS]

    def test_refusals_have_the_numbers(self) -> None:
        state = table("*5", has(), has("r1"), has("r1"))
        assert refusal(state, bid(7)) == "bid 7, but 5 tokens, 0 bust tokens and 1 card make 6"
        assert refusal(play(state, bid(3)), bid(3)) == "bid 3, but the best bid is 3"

    def test_the_turn_goes_on_where_it_was(self) -> None:
        state = play(table("r8 *5 g2" + MORE, has(), has()), DRAW, bid(1), PASS, pay(1), DRAW)
        assert state.tableau == ("r8", "g2")
        assert state.active == 0

    def test_stopping_is_allowed_after_a_wild_alone(self) -> None:
        assert legal(play(table("*5 g2", has(), has()), PASS, PASS)) == [NUMBERS, CURRENCY, DRAW]

    def test_everybody_passes(self) -> None:
        state = play(table("*5 g1" + MORE, has(), has(), has()), PASS, PASS, PASS)
        assert state.discards == ("*5",)
        assert state.wild == ""
        assert next_turn(state) == ("draw_or_stop", 0)

    def test_paid_with_cards(self) -> None:
        state = play(table("*5 g1" + MORE, has(), has("r1 r1 b#", tokens=1, bust_tokens=1)), bid(6), PASS)
        assert legal(state) == [pay(1, 1, "r1 r1"), pay(1, 1, "r1 b#"), pay(0, 1, "r1 r1 b#")]
        state = play(state, pay(1, 1, "b# r1"))
        assert state.players[1] == has("r1 *5", tokens=0)
        assert Counter(state.discards) == Counter(["r1", "b#"])

    def test_a_card_cannot_be_paid_twice(self) -> None:
        state = play(table("*5", has(), has("r1 b1", tokens=1)), bid(3), PASS)
        assert refusal(state, pay(1, 0, "r1 r1")) == "pays with 2 × r1, but has 1 to pay with"

    def test_one_way_to_pay_is_no_question(self) -> None:
        assert legal(play(table("*5", has(), has()), bid(3), PASS)) == [pay(3)]

    def test_a_view_of_it(self) -> None:
        state = play(table("*5", has(), has("r1"), has("b1 b1")), bid(2), bid(3))
        view = TEN.view(state, 0)
        assert view.auction.wild == "*5"
        assert list(view.auction.bids) == [TenBid(seat=1, amount=2), TenBid(seat=2, amount=3)]
        assert (view.auction.best_bid, view.auction.best_bidder) == (3, 2)
        assert (view.min_bid, view.max_bid) == (4, 5)
        paying = TEN.view(play(state, PASS), 2)
        assert (paying.price, list(paying.payable)) == (3, ["b1", "b1"])


class TestBuy:
    def test_at_the_face_value(self) -> None:
        state = play(table("r1 g1" + MORE, has(tokens=4), has(), market="b4 o5"), NUMBERS)
        assert legal(state) == [NO_BUY, buy("b4", 4), buy("b4", 3, cards="r1"), buy("o5", 4, cards="r1")]
        state = play(state, buy("b4", 3, cards="r1"))
        assert state.players[0] == has("b4", tokens=1)
        assert state.market == ("o5",)
        assert state.discards == ("r1",)
        assert next_turn(state) == ("draw_or_stop", 1)

    def test_no_second_card_of_a_kind_but_a_wild_is_no_such_card(self) -> None:
        state = play(table("r1 g1" + MORE, has("b4 o# *5"), has(), market="b4 o5"), NUMBERS)
        assert list(TEN.view(state, 0).buyable) == ["o5"]
        assert refusal(state, buy("b4", 4)) == "buys b4, but owns one already"

    def test_the_card_just_taken_counts_as_owned(self) -> None:
        assert legal(play(table("r1 g1", has(), has(), market="r1"), NUMBERS)) == [NO_BUY]

    def test_a_bust_token_loses_its_excess(self) -> None:
        state = play(table("$1 g1" + MORE, has(tokens=0, bust_tokens=2), has(), market="b4"), NUMBERS)
        assert legal(state) == [NO_BUY, buy("b4", 0, 2)]
        assert play(state, buy("b4", 0, 2)).players[0] == has("b4", tokens=0)

    def test_none_is_the_only_choice_of_the_poor(self) -> None:
        assert legal(play(table("$1 g1", has(tokens=3), has(), market="b4"), NUMBERS)) == [NO_BUY]

    def test_refusals(self) -> None:
        state = play(table("r1 g1", has(), has(), market="b4"), NUMBERS)
        assert refusal(state, buy("b5", 5)) == "buys b5, but in the market is b4"
        assert refusal(state, buy("b4", 3)) == "pays 3 tokens, which makes 3, for a price of 4"
        assert refusal(state, TenChoice(buy=TenBuy(payment=payment(4)))) == "pays 4 tokens, but names no card to buy"
        assert refusal(state, TenChoice(buy=TenBuy(card="b4"))) == "pays nothing, which makes 0, for a price of 4"


class TestEnd:
    def test_after_the_last_card_a_reward_a_buy_and_a_final_buy_each_the_active_seat_last(self) -> None:
        state = play(table("r1 r2", has(), has(), has(), market="b1 b2 b3", active=1), DRAW, NUMBERS)
        assert next_turn(state) == ("buy", 1)
        assert not TEN.view(state, 1).final_buys
        state = play(state, buy("b1", 1))
        assert next_turn(state) == ("buy", 2)
        assert TEN.view(state, 2).final_buys
        state = play(state, buy("b2", 2))
        assert next_turn(state) == ("buy", 0)
        state = play(state, NO_BUY)
        assert next_turn(state) == ("buy", 1)
        state = play(state, buy("b3", 3))
        assert TEN.pending(state) == ()
        assert state.players == (has(), has("r1 r2 b1 b3", tokens=1), has("b2", tokens=3))

    def test_whoever_took_the_currency_has_a_final_buy_too(self) -> None:
        state = play(table("r4", has(tokens=4), has()), CURRENCY, NO_BUY)
        assert legal(state) == [NO_BUY, buy("r4", 4)]

    def test_the_last_card_busts(self) -> None:
        state = play(table("r5 b6", has(), has()), DRAW)
        assert state.players[0].bust_tokens == 1
        assert next_turn(state) == ("buy", 1)
        assert next_turn(play(state, NO_BUY)) == ("buy", 0)

    def test_the_last_card_is_a_wild(self) -> None:
        state = play(table("r5 *5", has(), has()), DRAW, bid(1), PASS, pay(1))
        assert legal(state) == [NUMBERS, CURRENCY]
        state = play(state, NUMBERS, NO_BUY, NO_BUY, NO_BUY)
        assert TEN.pending(state) == ()
        assert state.players == (has("r5"), has("*5", tokens=4))


class TestResult:
    @pytest.mark.parametrize(
        ("players", "options", "ranks"),
        [
            ((has("r1 r2"), has("r1"), has("r1 r2 r3")), Options(), (2, 3, 1)),
            ((has("r1", 3), has("r1", 5), has("r1", 4)), Options(), (3, 1, 2)),
            ((has("r1", 5), has("r1", 4, 9)), Options(), (1, 2)),
            ((has("r1", 5), has("r1", 4, 1)), Options(tie_break="tokens_and_bust_tokens"), (2, 1)),
            ((has("r1", 5, 1), has("r1 r1", 8, 0)), Options(tie_break="tokens_and_bust_tokens"), (1, 2)),
            ((has("r1 r1"), has("r1"), has("r1 r3 r5")), Options(), (2, 1, 3)),
            ((has("r1"), has("b1"), has()), Options(), (1, 1, 3)),
        ],
        ids=["points", "tokens", "no bust tokens", "bust tokens", "then cards", "fewest cards", "a shared win"],
    )
    def test_ranks(self, players: tuple[Player, ...], options: Options, ranks: tuple[int, ...]) -> None:
        state = table("$1", *players, options=options)
        assert TEN.result(state).ranks == ranks
        assert TEN.result(state).house == ()


class TestAnswers:
    @pytest.mark.parametrize(
        "choice",
        [TenChoice(), PASS, NO_BUY, KEEP_TOKEN, pay(1), NO_ACTION],
    )
    def test_another_kind_is_malformed(self, choice: TenChoice) -> None:
        with pytest.raises(WrongKind):
            TEN.check(table("r1 r2", has(), has()), 0, choice)

    def test_the_view_of_a_turn_is_all_but_the_order_of_the_deck(self) -> None:
        view = TEN.view(play(table("r1 $2 b1 b2 b3", has("o1 *1", 7, 2), has(), market="g5"), DRAW), 0)
        assert view.decision == TenDecision.TEN_DECISION_DRAW_OR_STOP
        assert (list(view.tableau), list(view.market), view.cards_left) == (["r1", "$2"], ["g5"], 3)
        assert (list(view.seats[0].cards), view.seats[0].tokens, view.seats[0].bust_tokens) == (["o1", "*1"], 7, 2)
        assert (len(view.seats), view.active, view.tie_break) == (2, 0, "tokens")
        assert view.automaton_level == 0
        assert not view.HasField("auction")


class TestExport:
    @pytest.mark.parametrize(
        ("choice", "exported"),
        [
            (DRAW, {"kind": "draw_or_stop", "action": "draw"}),
            (NUMBERS, {"kind": "draw_or_stop", "action": "numbers"}),
            (CURRENCY, {"kind": "draw_or_stop", "action": "currency"}),
            (PASS, {"kind": "bid", "amount": 0}),
            (bid(7), {"kind": "bid", "amount": 7}),
            (pay(1, 2, "r1 *#"), {"kind": "pay", "payment": {"tokens": 1, "bust_tokens": 2, "cards": ["r1", "*#"]}}),
            (NO_BUY, {"kind": "buy", "card": None, "payment": None}),
            (
                buy("r5", 5),
                {"kind": "buy", "card": "r5", "payment": {"tokens": 5, "bust_tokens": 0, "cards": []}},
            ),
            (KEEP_TOKEN, {"kind": "bust_choice", "choice": "token"}),
            (RATHER_BUY, {"kind": "bust_choice", "choice": "buy"}),
        ],
    )
    def test_choices(self, choice: TenChoice, exported: dict[str, object]) -> None:
        assert TEN.export(choice) == exported

    def test_every_action_has_its_word(self) -> None:
        words = [TEN.export(TenChoice(draw_or_stop=action))["action"] for action in TenAction.values()[1:]]
        assert words == ["draw", "numbers", "currency"]

    def test_the_deck(self) -> None:
        exported = TEN.export(TenDeck(cards=["r1", "$3"], first_seat=1))
        assert exported == {"type": "deck", "cards": ["r1", "$3"], "first_seat": 1}


class TestTell:
    def test_a_turn(self) -> None:
        state = table("r4 $3 b2 *5 g1" + MORE, has(), has(), has(tokens=9), market="b4")
        assert told(state, DRAW, DRAW, DRAW, bid(2), PASS, PASS, pay(2), NUMBERS, buy("b4", 4)) == [
            "ada draws r4: net 4, currency 0",
            "ada draws $3: net 1, currency 3",
            "ada draws b2: net 3, currency 3",
            "ada draws *5, a wild: an auction",
            "bob bids 2",
            "cid passes",
            "ada passes",
            "bob pays 2 tokens for *5",
            "ada takes the numbers r4 b2",
            "bob gains 3 tokens and has 6",
            "cid gains 1 token and has 10",
            "ada pays 4 tokens for b4",
            "bob draws g1: net 1, currency 0",
        ]

    def test_a_bust_and_the_end(self) -> None:
        assert told(table("$2 r8 b5", has(), has("b1 b2"), options=VARIANT), DRAW, DRAW, RATHER_BUY, NO_BUY)[2:] == [
            "ada draws b5: net 11, currency 2",
            "ada busts with a net of 11",
            "ada gives up the bust token for a buy",
            "ada buys nothing",
            "bob gains 2 tokens and has 7",
        ]
        assert told(table("r1", has(), has("b1 b2")), CURRENCY, buy("r1", 1), NO_BUY) == [
            "ada draws r1: net 1, currency 0",
            "ada takes the currency",
            "bob pays 1 token for r1",
            "ada scores 0",
            "bob scores 3",
        ]
