"""Rows of texts as a table for a terminal, Markdown or CSV, whatever the texts hold."""

from __future__ import annotations

import csv as csv_module
import io
import re
from collections.abc import Iterable, Sequence

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def printable(text: str) -> str:
    """Return ``text`` with control characters spelled out: what bots wrote must not move anybody's cursor."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Return ``text`` printable and in one line."""
    return printable(text.replace("\n", "\\n").replace("\t", "\\t"))


def counted(number: int, thing: str) -> str:
    """Return ``1 game``, ``2 games``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> str:
    """Return aligned columns; ``right`` says which of them stand right."""
    from rich.cells import cell_len  # a wide character takes two places

    lines = [tuple(map(one_line, line)) for line in (head, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            " " * (width - cell_len(text)) + text if at_right else text + " " * (width - cell_len(text))
            for text, width, at_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool] | None = None) -> str:
    """Return a Markdown table. Texts stay texts, even where they look like markup."""
    rule = ["--:" if at_right else "---" for at_right in right or [False] * len(head)]
    body = [[markup_free(text) for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def markup_free(text: str) -> str:
    """Return ``text`` for Markdown, in one line that shows as it is."""
    return re.sub(r"([\\`*_\[\]<>|~&#])", r"\\\1", one_line(text))


def csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return CSV with a header (RFC 4180 but for plain line ends). None is an empty field."""
    return "".join(_csv_line(row) for row in (head, *rows))


def _csv_line(row: Sequence[object]) -> str:
    out = io.StringIO()
    csv_module.writer(out, lineterminator="\r\n").writerow(row)  # so that it quotes both, wherever a text holds one
    return out.getvalue().removesuffix("\r\n") + "\n"
