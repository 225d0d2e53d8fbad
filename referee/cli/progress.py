"""How a run is going: a table that redraws itself where a person looks, plain lines everywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from referee.cli import console
from referee.report.text import counted, printable
from referee.schedule import Plan
from referee.tournament import Began, Happening, Lost, Played
from referee.worker import Benched, Voided

REDRAW = 0.5
"""Seconds between two tables, at least."""

SHARE_OF_TIME = 0.05
"""How much of a run may go into computing standings nobody may be looking at."""

TENTHS = 10
"""Into how many steps plain lines divide a run."""


class Teller(AbstractContextManager["Teller"]):
    """Takes a run's happenings. ``done`` and ``total`` count its games."""

    def __init__(self) -> None:
        self.done = self.total = 0

    def __call__(self, happening: Happening) -> None:
        """Take note of it and tell it."""
        match happening:
            case Began(plan, done, total):
                self.done, self.total = done, total
                places = f"{counted(len(plan.blocks), 'block')} at {counted(plan.tables, 'table')}"
                self.say(f"{counted(total, 'game')} in {places}; two bots meet at {_meetings(plan)}")
                if done:
                    self.say(f"{done} of them are stored already")
                self.advance()
            case Played(done=done, total=total):
                self.done, self.total = done, total
                self.advance()
            case Voided(game_id, reason):
                self.say(f"game {game_id} is played again: {reason}")
            case Benched(bot, reason):
                self.say(f"{bot} is benched: {reason}")
            case Lost(reason, blocks):
                self.say(f"{reason}; {counted(blocks, 'block')} of it are played again")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leave the terminal as it was."""

    def say(self, line: str) -> None:
        """Tell a line at once."""
        console.say(line)

    def advance(self) -> None:
        """Show how far it is."""
        raise NotImplementedError


class Lines(Teller):
    """Plain lines: one for every tenth of the run."""

    def __init__(self) -> None:
        super().__init__()
        self._began: tuple[float, int] | None = None
        self._told = 0

    def advance(self) -> None:
        """Tell a line when another tenth is done."""
        now = time.monotonic()
        if self._began is None:
            self._began = now, self.done
        tenth = TENTHS * self.done // max(self.total, 1)
        if tenth > self._told and self.done > self._began[1]:
            left = (now - self._began[0]) / (self.done - self._began[1]) * (self.total - self.done)
            self.say(f"{self.done} of {self.total} games, {_span(left)} left")
        self._told = tenth


class Screen(Teller):
    """A bar with the time left, and the standings so far below it, redrawn."""

    def __init__(self, standings: Callable[[], str]) -> None:
        super().__init__()
        self._standings = standings
        self._table = Text("")
        self._next = 0.0
        columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns)
        self._task = self._progress.add_task("games", total=None)
        self._live = Live(console=console.screen(), auto_refresh=False, transient=True)

    def __enter__(self) -> Screen:
        """Begin to draw."""
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Clear what was drawn."""
        self._live.stop()

    def say(self, line: str) -> None:
        """Print a line above the table."""
        self._live.console.print(printable(line))

    def advance(self) -> None:
        """Draw again, unless that was just done or takes too long."""
        self._progress.update(self._task, completed=self.done, total=self.total)
        began = time.monotonic()
        if began < self._next:
            return
        self._table = Text(printable(self._standings()), no_wrap=True, overflow="ellipsis")
        self._live.update(Group(self._progress, self._table), refresh=True)
        took = time.monotonic() - began
        self._next = began + max(REDRAW, took / SHARE_OF_TIME)


def _meetings(plan: Plan) -> str:
    fewest, most = plan.fewest_meetings, plan.most_meetings
    return counted(most, "table") if fewest == most else f"{fewest} to {most} tables"


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
