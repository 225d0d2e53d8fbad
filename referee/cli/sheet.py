"""A list of things with the same fields, as a table, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.cli import console
from referee.cli.options import Format

Cell = str | int | float | None | list[str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of the same fields. ``kind`` ("bots") names the JSON's list and its schema, ``referee.bots/1``."""

    kind: str
    fields: tuple[str, ...]
    rows: list[tuple[Cell, ...]]

    def emit(self, style: Format, output: Path | None) -> None:
        """Put it out."""
        console.emit({"table": _table, "json": _json, "csv": _csv, "md": _markdown}[style](self), output)


def _table(sheet: Sheet) -> str:
    if not sheet.rows:
        return f"no {sheet.kind}"
    lines = [tuple(field.replace("_", " ") for field in sheet.fields), *map(_texts, sheet.rows)]
    numeric = [all(isinstance(row[i], int | float) for row in sheet.rows) for i in range(len(sheet.fields))]
    return "\n".join(_aligned(lines, numeric))


def _aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterable[str]:
    from rich.cells import cell_len  # a wide character takes two places

    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (
            pad + text if at_right else text + pad
            for text, width, at_right in zip(line, widths, right, strict=True)
            for pad in (" " * (width - cell_len(text)),)
        )
        yield "  ".join(padded).rstrip()


def _json(sheet: Sheet) -> str:
    things = [dict(zip(sheet.fields, row, strict=True)) for row in sheet.rows]
    return json.dumps({"schema": f"referee.{sheet.kind}/1", sheet.kind: things}, ensure_ascii=False, indent=2)


def _csv(sheet: Sheet) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(sheet.fields)
    writer.writerows([_text(cell) for cell in row] for row in sheet.rows)
    return text.getvalue()


def _markdown(sheet: Sheet) -> str:
    head = [sheet.fields, ("---",) * len(sheet.fields)]
    body = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in _texts(row)] for row in sheet.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*head, *body])


def _text(cell: Cell) -> str:
    if isinstance(cell, list):
        return ", ".join(cell)
    return "" if cell is None else str(cell)


def _texts(row: Iterable[Cell]) -> tuple[str, ...]:
    """Return cells as texts of one line each."""
    return tuple(console.printable(_text(cell).replace("\n", "\\n").replace("\t", "\\t")) for cell in row)
