"""Rows as a table, JSON, CSV and Markdown, whatever bots are called."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli.options import Format
from referee.cli.sheet import Cell, Sheet
from referee.report.text import printable

SHEET = Sheet("bots", ("name", "games_played"), [("a", 7), ("longer", 12), ("牛", None)])
NAMES = st.text(max_size=20)


def emitted(sheet: Sheet, style: Format, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    sheet.emit(style, None)
    return capsys.readouterr().out


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert emitted(SHEET, Format.TABLE, capsys) == "name    games played\na       7\nlonger  12\n牛\n"
    assert emitted(Sheet("bots", ("name",), []), Format.TABLE, capsys) == "no bots\n"


def test_numbers_stand_right(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Sheet("bots", ("name", "games"), [("a", 7), ("b", 12)])
    assert emitted(sheet, Format.TABLE, capsys) == "name  games\na         7\nb        12\n"


def test_wide_characters_take_two_places(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Sheet("bots", ("name", "v"), [("牛牛", "x"), ("abcd", "y")])
    assert emitted(sheet, Format.TABLE, capsys) == "name  v\n牛牛  x\nabcd  y\n"


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert emitted(SHEET, Format.MD, capsys).splitlines()[:3] == [
        "| name | games_played |",
        "| --- | --- |",
        "| a | 7 |",
    ]


@given(names=st.lists(NAMES, min_size=1, max_size=4))
def test_no_name_breaks_a_format(names: list[str]) -> None:
    rows: list[tuple[Cell, ...]] = [(name, number) for number, name in enumerate(names)]
    sheet = Sheet("bots", ("name", "number"), rows)
    with pytest.MonkeyPatch.context() as patch:
        for style, lines in ((Format.TABLE, 1), (Format.MD, 2)):
            out = io.StringIO()
            patch.setattr("sys.stdout", out)
            sheet.emit(style, None)
            assert len(out.getvalue().splitlines()) == lines + len(names)
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out.getvalue())
        out = io.StringIO()
        patch.setattr("sys.stdout", out)
        sheet.emit(Format.JSON, None)
        assert [row["name"] for row in json.loads(out.getvalue())["bots"]] == names
        out = io.StringIO(newline="")
        patch.setattr("sys.stdout", out)
        sheet.emit(Format.CSV, None)
        read = list(csv.reader(io.StringIO(out.getvalue(), newline="")))
        assert [row[0] for row in read[1:]] == names


def test_control_characters_are_spelled_out() -> None:
    assert printable("a\x1b[31mb\x07\u2028c\nd") == "a\\x1b[31mb\\x07\\u2028c\nd"
