"""Faults as data."""

from __future__ import annotations

import pytest

from referee import faults


@pytest.mark.parametrize(("length", "kept"), [(500, "x" * 500), (501, "x" * 499 + "…"), (10_000, "x" * 499 + "…")])
def test_a_reason_is_short_whatever_it_quotes(length: int, kept: str) -> None:
    assert faults.fault(faults.NO_START, "x" * length).reason == kept
