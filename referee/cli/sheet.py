"""A list of things with the same fields, as a table, JSON, CSV or Markdown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from referee.cli import console
from referee.cli.options import Format
from referee.report import text

Cell = str | int | float | None | list[str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of the same fields. ``kind`` ("bots") names the JSON's list and its schema, ``referee.bots/1``."""

    kind: str
    fields: tuple[str, ...]
    rows: list[tuple[Cell, ...]]

    def emit(self, style: Format, output: Path | None) -> None:
        """Put it out."""
        console.emit(self._rendered(style), output)

    def _rendered(self, style: Format) -> str:
        texts = [[_text(cell) for cell in row] for row in self.rows]
        right = [all(isinstance(row[i], int | float) for row in self.rows) for i in range(len(self.fields))]
        match style:
            case Format.TABLE:
                head = [field.replace("_", " ") for field in self.fields]
                return text.table(head, texts, right) if texts else f"no {self.kind}"
            case Format.MD:
                return text.markdown(self.fields, texts, right)
            case Format.CSV:
                return text.csv(self.fields, texts)
            case Format.JSON:
                things = [dict(zip(self.fields, row, strict=True)) for row in self.rows]
                whole = {"schema": f"referee.{self.kind}/1", self.kind: things}
                return json.dumps(whole, ensure_ascii=False, indent=2)


def _text(cell: Cell) -> str:
    if isinstance(cell, list):
        return ", ".join(cell)
    return "" if cell is None else str(cell)
