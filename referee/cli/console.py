"""All output. Data goes to stdout, everything else to stderr; control codes only where a person looks at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from referee.errors import ConfigError
from referee.report.text import printable

if TYPE_CHECKING:
    from rich.console import Console


def say(*lines: str) -> None:
    """Tell the user something that is not data."""
    for line in lines:
        print(printable(line), file=sys.stderr, flush=True)


def tell(line: str) -> None:
    """Put out a line for people that is what they asked for."""
    emit(printable(line))


def error(what: str, hint: str = "", label: str = "error") -> None:
    """Tell what went wrong and the next step."""
    say(f"{label}: {what}", *([f"hint: {hint}"] if hint else []))


@contextmanager
def opened(output: Path | None) -> Iterator[TextIO]:
    """Give where data goes: stdout, or a file that is complete or not there at all."""
    if output is None:
        yield sys.stdout
        return
    part = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        try:
            with part.open("w", encoding="utf-8", newline="") as file:
                yield file
            part.replace(output)
        finally:
            part.unlink(missing_ok=True)
    except OSError as failure:
        raise ConfigError(f"{output}: cannot be written: {failure.strerror}", "check the path after -o") from failure
    say(f"wrote {output}")


def emit(text: str, output: Path | None = None) -> None:
    """Put out data."""
    with opened(output) as file:
        file.write(text if text.endswith("\n") else text + "\n")
        file.flush()  # so that messages on stderr come after it


def people_look() -> bool:
    """Say whether stderr is a terminal that a person sees: not a pipe, not a CI's log, not a dumb one."""
    return sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") not in {None, "dumb"}


def screen() -> Console:
    """Return the terminal, for output that is drawn and redrawn."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False)
