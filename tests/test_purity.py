"""The parts that decide who wins do no I/O: they can be tested with made-up states, times and results."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMES = ["table", "replay", "clock", "schedule", "ratings", "faults", "errors", "games"]
GAMES = [f"games.{file.stem}" for file in sorted((ROOT / "referee/games").glob("[a-z]*.py"))]
PURE = [f"referee.{name}" for name in NAMES + GAMES]
IMPURE = {"trio", "grpc", "sqlite3", "os"}


def file_of(module: str) -> Path | None:
    """The file of a module or package of ours; None for anything else."""
    path = ROOT / module.replace(".", "/")
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists()), None)


def imports(file: Path) -> set[str]:
    """What a file imports anywhere in it, ``from a import b`` as both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports are not followed"
            assert node.module
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def reached(module: str) -> dict[str, Path]:
    """The top-level modules that importing a module of ours brings in, and a file that imports each."""
    outside: dict[str, Path] = {}
    waiting, seen = ["referee", module], set[Path]()
    while waiting:
        file = file_of(waiting.pop())
        if file is None or file in seen:
            continue
        seen.add(file)
        for name in imports(file):
            waiting.append(name)
            if not name.startswith("referee"):
                outside.setdefault(name.split(".")[0], file)
    return outside


@pytest.mark.parametrize("module", PURE)
def test_no_io_in_a_pure_module(module: str) -> None:
    assert file_of(module), f"{module} is gone: mend the list above"
    assert not {name: str(file) for name, file in reached(module).items() if name in IMPURE}


def test_imports_are_followed() -> None:
    """From a module to those that it imports, and on: otherwise the test above sees nothing."""
    assert {"google", "msgspec", "random"} <= set(reached("referee.replay"))
    assert "grpc" in reached("referee.worker")
