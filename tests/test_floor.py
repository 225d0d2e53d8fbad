"""Who may think: at most so many, first come first served."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import trio
import trio.testing

from referee.floor import Floor


@dataclass
class Thinker:
    name: str
    thinking: list[str]
    has_asks: bool = True

    def think(self) -> bool:
        if self.has_asks:
            self.thinking.append(self.name)
        return self.has_asks


@dataclass
class Room:
    """A floor with people on it; ``thinking`` are all who got a place so far."""

    thinkers: int
    thinking: list[str] = field(default_factory=list)

    async def settle(self) -> list[str]:
        await trio.testing.wait_all_tasks_blocked()
        return self.thinking


@pytest.mark.parametrize("thinkers", [1, 2, 5])
def test_no_more_than_thinkers_have_a_place_and_who_came_first_goes_first(thinkers: int) -> None:
    async def main() -> None:
        room, floor = Room(thinkers), Floor(thinkers)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(floor.run)
            for name in "abcdef":
                floor.enter(Thinker(name, room.thinking))
            assert await room.settle() == list("abcdef")[:thinkers]
            floor.leave()
            assert await room.settle() == list("abcdef")[: thinkers + 1]
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_who_has_nothing_to_think_about_any_more_takes_no_place() -> None:
    async def main() -> None:
        room, floor = Room(1), Floor(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(floor.run)
            floor.enter(Thinker("idle", room.thinking, has_asks=False))
            floor.enter(Thinker("busy", room.thinking))
            assert await room.settle() == ["busy"]
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_places_are_given_after_the_tasks_that_are_ready_have_had_their_turn() -> None:
    async def main() -> None:
        order: list[str] = []
        floor = Floor(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(floor.run)
            await trio.testing.wait_all_tasks_blocked()
            floor.enter(Thinker("floor", order))

            async def table(name: str) -> None:
                order.append(name)

            for name in ("t1", "t2", "t3"):
                nursery.start_soon(table, name)
            await trio.testing.wait_all_tasks_blocked()
            assert order[-1] == "floor"
            assert len(order) == 4
            nursery.cancel_scope.cancel()

    trio.run(main)
