"""TOML read strictly into structs: what cannot be meant is an error that says where it stands and what is known."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from referee.errors import ConfigError

S = TypeVar("S", bound=msgspec.Struct)

WORDS = {
    "object": "a table",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}
"""msgspec's types as people who write TOML call them."""


class Quantity(int):
    """A whole number of base units, written with a unit: ``"250us"``, ``"512MB"``."""

    units: ClassVar[Mapping[str, int]]
    example: ClassVar[str]

    @classmethod
    def parse(cls, text: object) -> Self:
        """Return the quantity that ``text`` says. Raises ValueError, with an example, if it says none."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", text.strip()) if isinstance(text, str) else None
        if match is None or match[2] not in cls.units:
            raise ValueError(f"{text!r} is no {cls.__name__.lower()}; write it like {cls.example!r}")
        return cls(round(float(match[1]) * cls.units[match[2]]))

    @property
    def text(self) -> str:
        """The shortest text that parses to this quantity again. (``str`` is the number, as the kernel wants it.)"""
        unit = max((u for u, size in self.units.items() if self % size == 0), key=lambda u: self.units[u])
        return f"{int(self) // self.units[unit]}{unit}" if self else f"0{next(iter(self.units))}"


class Duration(Quantity):
    """A time in nanoseconds."""

    units: ClassVar = {"s": 10**9, "ns": 1, "us": 10**3, "ms": 10**6, "m": 60 * 10**9, "h": 3600 * 10**9}
    example = "250ms"


class Size(Quantity):
    """An amount of memory or disk in bytes; 1 KB is 1024 of them."""

    units: ClassVar = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
    example = "512MB"


def read(path: Path) -> dict[str, Any]:
    """Return the tables of a file. Raises ConfigError when it is not there or not TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}", "check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text in UTF-8 (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}", 'texts need quotes: key = "value"') from error


def convert(table: object, struct: type[S], where: str, *, prefix: str = "", texts: bool = False) -> S:
    """Return ``table`` as a ``struct``. ``where``, the file, begins every message; ``prefix`` ("options.") every key.

    With ``texts`` the values are texts from a command line, and "66" may be a number. Raises ConfigError.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where}: {prefix[:-1]}: expected a table, got {literal(table)}", "write { key = value }")
    _check_keys(table, struct, where, prefix)
    try:
        return msgspec.convert(table, struct, strict=not texts, dec_hook=lambda kind, value: kind.parse(value))
    except msgspec.ValidationError as error:
        raise _explained(str(error), struct, where, prefix) from error


def builtins(struct: msgspec.Struct) -> dict[str, Any]:
    """Return a struct as the tables it was read from, quantities as texts."""
    tables: dict[str, Any] = msgspec.to_builtins(struct, enc_hook=lambda quantity: quantity.text)
    return tables


def literal(value: object) -> str:
    """Return a text, number, truth value or list of them as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a hint that names the nearest of the known names, and all of them."""
    names = list(known)
    nearest = get_close_matches(wrong, names, n=1, cutoff=0.0)
    return f"did you mean {nearest[0]!r}? Known: {', '.join(names)}" if nearest else "none are known here"


def _check_keys(table: Mapping[str, Any], struct: type[msgspec.Struct], where: str, prefix: str) -> None:
    hints = get_type_hints(struct)
    for key, value in table.items():
        if key not in struct.__struct_fields__:
            raise ConfigError(f"{where}: unknown key {prefix + key!r}", did_you_mean(key, struct.__struct_fields__))
        for kind in (hints[key], *get_args(hints[key])):
            if isinstance(value, Mapping) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
                _check_keys(value, kind, where, f"{prefix}{key}.")


def _explained(message: str, struct: type[msgspec.Struct], where: str, prefix: str) -> ConfigError:
    """Return msgspec's message ("Expected `int`, got `str` - at `$.time.start`") as one that names the key first."""
    what, _, path = message.partition(" - at `$")
    path = path.strip(".`")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        key = ".".join(filter(None, (path, missing[1])))
        return ConfigError(f"{where}: {prefix}{key} is missing", f"add a line: {prefix}{key} = …")
    key = f"{prefix}{path}".rstrip(".")
    what = re.sub(r"`(.+?)`", lambda kinds: " or ".join(WORDS.get(k, k) for k in kinds[1].split(" | ")), what)
    allowed = _allowed(struct, path)
    hint = f"it may be {', '.join(allowed)}" if allowed else ""
    return ConfigError(f"{where}: {key}{': ' if key else ''}{what[0].lower()}{what[1:]}", hint)


def _allowed(struct: type[msgspec.Struct], path: str) -> tuple[str, ...]:
    """Return the values that the key at ``path`` may have, if they can be counted."""
    kind: Any = struct
    for key in path.split("."):
        hints = get_type_hints(kind) if isinstance(kind, type) else {}
        kind = hints.get(key)
        if get_origin(kind) is UnionType:
            kind = next((arm for arm in get_args(kind) if arm is not type(None)), None)
    return get_args(kind) if get_origin(kind) is Literal else ()
