"""Fixtures for all tests."""

from tests.terminal import terminal

__all__ = ["terminal"]
