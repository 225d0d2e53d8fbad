"""Fixtures for all tests."""

from hypothesis import settings

from tests.terminal import terminal

settings.register_profile("referee", deadline=None)  # no test depends on how fast the machine is
settings.load_profile("referee")

__all__ = ["terminal"]
