"""Tournaments by `referee run`: interrupted, killed, stopped, resumed. Nothing is lost, and nobody pays for it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest

from referee.store import Store
from tests.e2e.host import Host, descendants, wait_gone
from tests.zoo import wire_bot

LARGE = {"deals": 2000}
KILLS = 50


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """Give a tournament that nothing interrupted."""
    host = Host(tmp_path_factory.mktemp("whole"))
    host.tournament()
    host.finish()
    return host


def test_a_run_plays_everything_and_says_what_next(whole: Host) -> None:
    assert len(whole.choices()) == 40
    lines = whole.finish()
    assert any("40 of them are stored already" in line for line in lines)
    assert any("referee standings cup" in line for line in lines)


def test_killed_at_random_instants_it_ends_with_the_games_of_an_uninterrupted_run(host: Host, whole: Host) -> None:
    host.tournament()
    rng = Random(2)
    for _ in range(KILLS):
        running = host.run()
        running.until(rng.choice(["# sandbox", "commitment", "games in", "games in", "games in"]))
        _wait(rng.expovariate(5))
        below = descendants(running.process.pid)
        running.signal(signal.SIGKILL)
        running.end()
        wait_gone(below, 30)
    host.finish()
    assert host.choices() == whole.choices()


def test_a_dead_worker_is_replaced_and_its_games_played_again(host: Host, whole: Host) -> None:
    host.tournament()
    running = host.run()
    running.until("of 40 games,")
    [worker] = running.workers()
    os.kill(worker, signal.SIGKILL)
    assert running.end() == 0
    assert any("played again" in line for line in running.lines)
    assert host.choices() == whole.choices()
    assert host.faults("lowest") == host.faults("highest") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_says_how_to_go_on_and_leaves_nothing(host: Host, number: signal.Signals) -> None:
    host.tournament(schedule=LARGE)
    running = host.run()
    running.until("of 4000 games,")
    below = descendants(running.process.pid)
    assert below
    running.signal(number)
    assert running.end() == 130
    assert any(f"referee run {host.folder}/cup.toml --arena {host.arena}" in line for line in running.lines)
    assert not _there(below)
    assert host.faults("lowest") == [], "Ctrl-C is no crash of a bot"


def test_ctrl_c_again_and_again_is_as_good_as_once(host: Host) -> None:
    host.tournament(schedule=LARGE)
    running = host.run()
    running.until("of 4000 games,")
    below = descendants(running.process.pid)
    while running.process.poll() is None and _there(below):
        running.signal(signal.SIGINT)
        _wait(0.05)  # so that it is one more, and not the one that is still pending
    assert running.end() == 130
    assert not _there(below)
    assert host.choices()


def test_killed_with_9_it_leaves_no_process(host: Host) -> None:
    host.tournament(schedule=LARGE)
    running = host.run()
    running.until("of 4000 games,")
    below = descendants(running.process.pid)
    running.signal(signal.SIGKILL)
    running.end()
    wait_gone(below, 10)


def test_bots_that_will_not_go_do_not_hold_up_the_end(host: Host) -> None:
    bots = {str(i): wire_bot(host.folder / f"b{i}", "stays_after_the_end", f"b{i}").folder for i in range(2)}
    host.tournament(bots, schedule=LARGE)
    running = host.run()
    running.until("of 4000 games,")
    below = descendants(running.process.pid)
    running.signal(signal.SIGINT)
    assert running.end() == 130
    assert not _there(below)


def test_a_referee_that_was_stopped_for_a_while_charges_nobody(host: Host) -> None:
    """The worker is stopped while a bot is on the clock, until the bot's limit is over."""
    bots = {name: wire_bot(host.folder / name, "remembers", name).folder for name in ("ada", "bob")}
    time = {"move": "300ms", "free": "300ms"}
    host.tournament(bots, time=time, schedule={"deals": 400})
    running = host.run()
    running.until("of 800 games,")
    [worker] = running.workers()
    for _ in range(5):
        os.kill(worker, signal.SIGSTOP)
        _wait(0.7)  # what is tested is a stall of this length
        os.kill(worker, signal.SIGCONT)
        _wait(0.1)
    assert running.end() == 0
    assert host.faults("ada") == host.faults("bob") == []
    with Store.open(host.arena, write=False) as store:
        voids = store.voids("cup")
    assert voids, "a stall with a bot on the clock voids its games"
    assert any("is played again" in line for line in running.lines)
    assert len(host.choices()) == 800


def test_a_changed_tournament_is_refused_and_says_what_changed(host: Host) -> None:
    host.tournament()
    host.finish()
    before = host.choices()
    host.tournament(time={"move": "2s"})
    running = host.run()
    assert running.end() == 2
    said = "".join(running.lines)
    assert "time.move" in said
    assert "2s" in said
    assert host.choices() == before


def test_a_second_referee_is_refused_with_the_first_ones_pid(host: Host) -> None:
    host.tournament(schedule=LARGE)
    running = host.run()
    running.until("games in")
    second = host.run()
    assert second.end() == 2
    assert str(running.process.pid) in "".join(second.lines)
    running.signal(signal.SIGINT)
    running.end()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_is_told_and_loses_nothing(host: Host, whole: Host) -> None:
    host.tournament()
    host.arena.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(host.arena)], check=True)
    try:
        running = host.run()
        assert running.end() == 2
        assert any("full" in line for line in running.lines), "".join(running.lines)
        subprocess.run(["mount", "-o", "remount,size=64m", str(host.arena)], check=True)
        host.finish()
        assert host.choices() == whole.choices()
    finally:
        subprocess.run(["umount", str(host.arena)], check=True)


def test_a_zoo_of_bots_harms_no_honest_one(host: Host) -> None:
    animals = ("exits_when_asked", "hangs", "plays_a_card_it_does_not_hold", "chatters", "answers_twice")
    honest = ("ada", "bob", "cid")
    bots = {a: wire_bot(host.folder / a, a).folder for a in animals}
    bots |= {name: wire_bot(host.folder / name, "honest", name).folder for name in honest}
    host.tournament(
        bots, time={"move": "400ms", "bank": "0s"}, schedule={"deals": 2}, seats=3, limits={"bench_after": 2}
    )
    host.finish()
    for name in (*honest, "answers_twice"):
        assert host.faults(name) == []
    assert "LATE" in host.faults("hangs")
    assert set(host.faults("plays_a_card_it_does_not_hold")) == {"ILLEGAL"}
    assert set(host.faults("exits_when_asked")) == {"CRASHED"}


def test_a_hundred_bots_are_gone_when_it_has_ended(host: Host) -> None:
    bots = {f"b{i}": wire_bot(host.folder / f"b{i}", "honest", f"b{i}").folder for i in range(100)}
    host.tournament(bots, seats=10, schedule={"deals": 100, "max_games": 10000}, limits={"games_in_flight": 300})
    running = host.run()
    running.until("games in")
    while len(below := descendants(running.process.pid)) < 100:
        assert running.process.poll() is None
        _wait(0.1)
    running.signal(signal.SIGTERM)
    assert running.end() == 130
    assert not _there(below)


def _there(pids: set[int]) -> bool:
    """Whether any of them is left, be it as a zombie."""
    return any(Path(f"/proc/{pid}").exists() for pid in pids)


def _wait(seconds: float) -> None:
    import threading

    threading.Event().wait(seconds)
