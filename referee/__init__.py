"""Referee: a tournament referee for bots.

Data runs one way::

    config -> schedule -> worker (arena <-> bots, table, game) -> record -> store -> ratings -> report -> cli

The loop that every part serves::

    table = Table(game, options, seats, seed)
    while asks := table.asks():                       # empty: the game is over; several: simultaneous
        table.answer(await arena.ask(asks))           # replies and faults are both data
    record = table.record()

Pure, with no I/O: ``games/``, ``table``, ``clock``, ``schedule``, ``ratings``. One file owns one technology: ``arena``
is grpc, ``store`` is SQLite, ``bots/process`` spawns, ``cli/console`` prints.
"""

__version__ = "0.1.0"
