"""What holds for every game, over the registry, and what each game adds.

What the contract must know of a game beyond its interface is in ``peek_<name>.py``; see ``tests.games.peek.Peek``.
"""
