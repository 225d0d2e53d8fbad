"""Bots as programs: what a folder says of itself, the shelf that keeps it, and the processes that play."""
