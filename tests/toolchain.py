"""Programs that some tests need, and this machine may not have."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def need(program: str, install: str) -> None:
    """Skip the test if ``program`` is not there, naming the command that installs it; with CI set that is a failure."""
    if shutil.which(program) is None:
        missing(f"{program} is not installed: {install}")


def missing(why: str) -> NoReturn:
    """Skip the test; with CI set, fail it."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
