"""`run` with real bots: what is printed, resuming, interrupting, and what a person at a terminal sees."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from referee import samples

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
REFEREE = [sys.executable, "-m", "referee"]
PLAIN = {key: value for key, value in os.environ.items() if key not in {"CI", "NO_COLOR", "REFEREE_ARENA"}}


def tournament(folder: Path, *, deals: int, bots: tuple[str, ...] = ("lowest", "highest")) -> Path:
    """Write a tournament of two sample bots, one deal a game."""
    folders = [str(samples.folder() / bot) for bot in bots]
    file = folder / "duel.toml"
    file.write_text(
        f'game = "six_nimmt"\nseats = 2\nbots = {folders}\noptions.max_deals = 1\nschedule.deals = {deals}\n'
    )
    return file


def referee(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with pipes for its output."""
    return subprocess.run(
        [*REFEREE, *words], cwd=folder, env=PLAIN, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Give the folder of a tournament that was run, and what the run said."""
    folder = tmp_path_factory.mktemp("duel")
    tournament(folder, deals=5)
    return folder, referee(folder, "run", "duel.toml")


Duel = tuple[Path, subprocess.CompletedProcess[str]]


def test_a_run_prints_settings_commitment_progress_standings_and_what_is_next(duel: Duel) -> None:
    _, run = duel
    assert run.returncode == 0, run.stderr
    err = run.stderr.splitlines()
    assert err[:3] == ['name = "duel"', 'game = "six_nimmt"', "seats = 2"]
    for line in ("options.max_deals = 1", "schedule.deals = 5", 'time.move = "1s"', 'sandbox = "auto"'):
        assert line in err
    [commitment] = [line for line in err if line.startswith("commitment to the deals: ")]
    [secret] = [line for line in err if line.startswith("the deals came from the secret ")]
    assert err.index(commitment) < err.index("10 games in 5 blocks at 1 table; two bots meet at 1 table")
    assert err.index(secret) > err.index("10 of 10 games, 0 s left")
    assert err[-4:] == [
        "everything is in arena; next:",
        "  referee standings duel --format md",
        "  referee verify duel",
        "  referee export games duel -o games.jsonl",
    ]
    assert run.stdout.startswith("duel\n6 nimmt! with 2 seats; ")


def test_a_piped_run_has_no_control_codes(duel: Duel) -> None:
    _, run = duel
    assert not CONTROL.search(run.stdout + run.stderr)


def test_a_second_run_finds_nothing_to_play_and_says_the_same(duel: Duel) -> None:
    folder, run = duel
    again = referee(folder, "run", "duel.toml", "--strict")
    assert (again.returncode, again.stdout) == (0, run.stdout)
    assert "10 of them are stored already\n" in again.stderr
    assert "games, " not in again.stderr


def test_what_was_run_verifies(duel: Duel) -> None:
    folder, _ = duel
    verified = referee(folder, "verify")
    assert verified.stdout.startswith("duel: 10 games dealt and played again, all as recorded\n")


def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path: Path) -> None:
    tournament(tmp_path, deals=150)
    run = subprocess.Popen(
        [*REFEREE, "--arena", "my arena", "run", "duel.toml"],
        cwd=tmp_path,
        env=PLAIN,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    while not re.match(r"\d+ of 300 games, ", line := run.stderr.readline()):
        assert line, "the run ended before it was interrupted"
    run.send_signal(signal.SIGINT)
    said = run.stderr.read()
    assert run.wait(60) == 130
    found = re.search(r"interrupted: (\d+) of 300 games are stored\nhint: go on with: (.*)\n", said)
    assert found, said
    assert found[2] == "referee run duel.toml --arena 'my arena'"
    stored = referee(tmp_path, "export", "games", "--arena", "my arena").stdout.splitlines()
    assert len(stored) >= int(found[1]) > 0
    again = referee(tmp_path, *shlex.split(found[2])[1:])
    assert again.returncode == 0
    assert f"{len(stored)} of them are stored already\n" in again.stderr
    assert "300 games, complete" in again.stdout


def test_faults_are_pointed_at_and_strict_makes_them_findings(tmp_path: Path) -> None:
    file = tournament(tmp_path, deals=1)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "bot.toml").write_text('name = "broken"\ngames = ["six_nimmt"]\nrun = ["false"]\n')
    file.write_text(file.read_text().replace(str(samples.folder() / "highest"), str(broken)))
    run = referee(tmp_path, "run", "duel.toml", "--strict")
    assert run.returncode == 1, run.stderr
    assert re.search(r"\n  referee faults duel   what went wrong, \d+ times\n", run.stderr)
    assert "NO_START" in referee(tmp_path, "faults").stdout


def test_play_tells_the_same_game_for_the_same_seed(tmp_path: Path) -> None:
    bots = [str(samples.folder() / bot) for bot in ("lowest", "highest")]
    words = ["play", *bots, "--option", "max_deals=1", "--option", "variant=tactical", "--seed", "s"]
    one, other = referee(tmp_path, *words), referee(tmp_path, *words)
    assert one.returncode == 0, one.stderr
    assert one.stderr == "the same deal again: --seed s\n"
    assert one.stdout == other.stdout
    lines = one.stdout.splitlines()
    assert len([line for line in lines if line.startswith("trick ")]) == 10
    assert [line[:3] for line in lines[-2:]] in (["1. ", "2. "], ["1. ", "1. "])


def test_a_bot_that_fails_its_check_is_not_submitted(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "bot.toml").write_text('name = "broken"\ngames = ["six_nimmt"]\nrun = ["false"]\n')
    said = referee(tmp_path, "submit", "broken")
    assert said.returncode == 1
    assert " 3. FAILED: starts for six_nimmt" in said.stdout
    assert "exit code 1" in said.stdout
    assert said.stderr == "error: broken was not submitted\nhint: mend what the check found\n"
    assert not (tmp_path / "arena").exists()


def test_a_bot_that_passes_is_submitted_and_plays_by_its_name(tmp_path: Path) -> None:
    said = referee(tmp_path, "submit", str(samples.folder() / "lowest"))
    assert said.returncode == 0, said.stdout
    assert re.search(r"^submitted lowest@1 \([0-9a-f]{12}\)$", said.stderr, re.MULTILINE)
    assert "lowest  1        six_nimmt" in referee(tmp_path, "bot", "list").stdout
    played = referee(tmp_path, "play", "lowest@1", str(samples.folder() / "highest"), "--option", "max_deals=1")
    assert played.returncode == 0, played.stderr


def test_a_person_at_a_terminal_sees_a_table_that_redraws(tmp_path: Path) -> None:
    tournament(tmp_path, deals=5)
    ours, theirs = pty.openpty()
    environment = PLAIN | {"TERM": "xterm-256color", "COLUMNS": "160"}
    run = subprocess.Popen(
        [*REFEREE, "run", "duel.toml"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # a terminal whose other side is closed
        while data := os.read(ours, 4096):
            seen += data
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert b"\x1b[" in seen
    assert b"10/10" in seen
    assert not CONTROL.search(out)
