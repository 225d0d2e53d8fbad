"""`bot check` names what is wrong with a bot in words its author understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee import samples
from referee.check import Step, check
from tests.zoo import wire_bot


def last(folder: Path) -> Step:
    return list(check(folder))[-1]


def test_a_good_bot_passes_every_step_one_game_a_variant() -> None:
    steps = list(check(samples.folder() / "lowest"))
    assert all(step.passed for step in steps)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert sum(step.title.startswith("plays six_nimmt") for step in steps) == 7
    assert "Hello after" in steps[2].title
    assert any("median" in line for line in steps[3].details)


@pytest.mark.parametrize(
    ("animal", "words"),
    [
        ("exits_before_connecting", ["NO_START", "exit code 7", "I could not find my model"]),
        ("speaks_protocol_2", ["NO_START", "protocol 2", "speaks 1"]),
        ("plays_chess", ["NO_START", "chess", "six_nimmt"]),
        ("connects_and_closes", ["CRASHED", "ended"]),
        ("exits_when_asked", ["CRASHED", "exit code 3", "something was None"]),
        ("killed_when_asked", ["CRASHED", "SIGSEGV"]),
        ("plays_a_card_it_does_not_hold", ["ILLEGAL", "105"]),
        ("drafts_instead", ["MALFORMED", "draft"]),
        ("sends_five_mebibytes", ["MALFORMED", "5242880 bytes"]),
        ("sends_garbage_messages", ["MALFORMED", "not a BotMessage"]),
        ("hangs", ["LATE", "no answer within 1000 ms"]),
        ("chatters", ["LATE", "no answer within 1000 ms"]),
    ],
)
def test_the_zoo_is_told_what_is_wrong_and_what_to_do(tmp_path: Path, animal: str, words: list[str]) -> None:
    step = last(wire_bot(tmp_path / animal, animal).folder)
    assert not step.passed
    said = "\n".join(step.details)
    assert [word for word in words if word not in said] == []
    assert "what to do:" in said


def test_a_command_that_is_not_there_is_said_before_anything_is_played(tmp_path: Path) -> None:
    folder = wire_bot(tmp_path / "bot", "honest", run=["no-such-program"]).folder
    step = last(folder)
    assert not step.passed
    assert step.number == 2
    assert "no-such-program" in "\n".join(step.details)
