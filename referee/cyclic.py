"""Cyclic designs: tables for many players at which pairs meet equally often, without listing every set of players.

Put the players on a circle of n places. A *base table* of k places, turned through all n positions, gives n tables: its
*orbit*. In an orbit everybody plays k times, and two players meet as often as the base has pairs of places that lie
as far apart as they do. So a whole schedule is balanced as soon as the few base tables have every distance from 1 to
n // 2 equally often: a search over some tens of numbers, where sets of 4 out of 100 players are 3.9 million.

(Bose, "On the construction of balanced incomplete block designs", 1939: the method of differences. A family that
hits every distance exactly the same number of times is a difference family; "within one" is all that is asked here.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from random import Random

Shape = tuple[int, ...]

STEPS = 20_000  # a search that has not ended by then rarely does: some tenths of a second
HEAT = 0.4  # a step that makes the sum of squares worse by d is taken with probability exp(-d / HEAT)


@dataclass(frozen=True, slots=True)
class Orbits:
    """Base tables on a circle of ``players`` places; in their orbits a pair meets ``fewest`` to ``most`` times."""

    players: int
    bases: tuple[tuple[int, ...], ...]
    fewest: int
    most: int

    @property
    def even(self) -> bool:
        """Whether all pairs meet equally often, give or take one meeting."""
        return self.most - self.fewest <= 1

    def tables(self) -> list[tuple[int, ...]]:
        """Return every base table turned through every position."""
        return [
            tuple((place + turn) % self.players for place in base)
            for base in self.bases
            for turn in range(self.players)
        ]


def search(players: int, seats: int, orbits: int) -> Orbits | None:
    """Return that many distinct orbits, as even as a seeded annealing finds them; None where there are not so many.

    The same arguments always give the same orbits. An orbit shorter than ``players`` (a base that turns into itself)
    is never used: its players would play less than others.
    """
    rng = Random(f"{players}/{seats}/{orbits}")
    bases = _distinct(players, seats, orbits, rng)
    if bases is None:
        return None
    met = _Distances(players, bases)
    shapes = {_shape(base, players) for base in bases}
    best = met.orbits(bases)
    for _ in range(STEPS):
        if best.even:
            break
        base, seat, place = rng.choice(bases), rng.randrange(seats), rng.randrange(players)
        if place in base:
            continue
        others = base[:seat] + base[seat + 1 :]
        worse = met.change(base[seat], others, -1) + met.change(place, others, +1)
        if (worse <= 0 or rng.random() < exp(-worse / HEAT)) and _move(base, seat, place, players, shapes):
            if met.spread() < best.most - best.fewest:
                best = met.orbits(bases)
        else:
            met.change(place, others, -1)
            met.change(base[seat], others, +1)
    return best


class _Distances:
    """How often each distance occurs within the base tables."""

    def __init__(self, players: int, bases: list[list[int]]) -> None:
        self.players = players
        self.counts = [0] * (players // 2 + 1)
        for base in bases:
            for i, place in enumerate(base):
                self.change(place, base[:i], +1)

    def change(self, place: int, others: list[int], by: int) -> int:
        """Count the distances of a place to others, or take them back; return by how much the sum of squares grows."""
        growth = 0
        for other in others:
            apart = abs(place - other)
            distance = min(apart, self.players - apart)
            growth += (2 * by * self.counts[distance] + 1) * self._times(distance)
            self.counts[distance] += by
        return growth

    def meetings(self) -> list[int]:
        """Return how often a pair meets, by distance from 1 on."""
        return [count * self._times(distance) for distance, count in enumerate(self.counts) if distance]

    def spread(self) -> int:
        meetings = self.meetings()
        return max(meetings) - min(meetings)

    def orbits(self, bases: list[list[int]]) -> Orbits:
        meetings = self.meetings()
        return Orbits(self.players, tuple(tuple(sorted(base)) for base in bases), min(meetings), max(meetings))

    def _times(self, distance: int) -> int:
        """Opposite places come together twice in a full turn, all others once."""
        return 2 if 2 * distance == self.players else 1


def _move(base: list[int], seat: int, place: int, players: int, shapes: set[Shape | None]) -> bool:
    """Put one seat of a base table elsewhere, unless that makes an orbit that is short or there already."""
    old, new = _shape(base, players), _shape([*base[:seat], place, *base[seat + 1 :]], players)
    if new is None or (new != old and new in shapes):
        return False
    base[seat] = place
    shapes.remove(old)
    shapes.add(new)
    return True


def _distinct(players: int, seats: int, orbits: int, rng: Random) -> list[list[int]] | None:
    """Draw base tables of different full orbits; None if that many cannot be found."""
    bases: dict[Shape, list[int]] = {}
    for _ in range(100 + 100 * orbits):
        base = rng.sample(range(players), seats)
        shape = _shape(base, players)
        if shape is not None:
            bases[shape] = base
        if len(bases) == orbits:
            return list(bases.values())
    return None


def _shape(base: list[int], players: int) -> Shape | None:
    """Return the gaps around the circle, least turn first, which name an orbit; None if the orbit is a short one."""
    places = sorted(base)
    gaps = [(after - place - 1) % players + 1 for place, after in zip(places, places[1:] + places[:1], strict=True)]
    turns = [tuple(gaps[i:] + gaps[:i]) for i in range(len(gaps))]
    return min(turns) if len(set(turns)) == len(turns) else None
