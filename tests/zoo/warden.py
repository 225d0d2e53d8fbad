"""Runs one bot as a worker does and tells what became of it: a process of its own, so that it can be any user's.

Started by ``tests/wards.py``. Its argument is a request in JSON. It prints one line of JSON for every report that the
bot sends to its socket, then one for the end.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import trio

from referee.bots import cgroup, process, shelf, tree
from referee.bots.limits import ProcessLimits

PATIENCE = 60.0


async def main(request: dict[str, Any]) -> None:
    process.become_subreaper()
    place, level = Path(request["place"]), request["level"]
    bot = shelf.shelve(place / "arena", place / "source", level)
    address = f"unix:{place}/socket/s"
    (place / "socket").mkdir(exist_ok=True)
    listener = trio.socket.socket(trio.socket.AF_UNIX)
    await listener.bind(address.removeprefix("unix:"))
    listener.listen()
    limits = ProcessLimits(**request["limits"])
    running = process.spawn(bot, address=address, token="secret", logs=place / "logs", level=level, limits=limits)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        heard = trio.Event()
        nursery.start_soon(hear, listener, running, request["then"], heard)
        with trio.fail_after(PATIENCE):
            await running.wait()
            async with await trio.open_unix_socket(address.removeprefix("unix:")) as wire:  # in line behind all reports
                await wire.send_all(b"null\n")
            await heard.wait()
        nursery.cancel_scope.cancel()
    stderr = running.stderr_tail()
    running.close()
    sizes = [(place / "logs" / bot.digest[:16] / name).stat().st_size for name in process.LOGS]
    left = [row.pid for row in tree.descendants(tree.snapshot()) if not row.dead and not await ends(row.pid)]
    end = {"exit": running.exit, "stderr": stderr, "cpu": running.cpu_seconds(), "sizes": sizes, "left": left}
    print(json.dumps(end))


async def ends(pid: int) -> bool:
    """Whether a process that is killed is gone within two seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with trio.move_on_after(2):
        await trio.lowlevel.wait_readable(descriptor)
        return True
    return False


async def hear(listener: trio.socket.SocketType, running: process.Process, then: str, heard: trio.Event) -> None:
    """Pass on what the bot reports, and kill it then if that is asked; who will ``hold`` us gets the pids too."""
    while True:
        wire, _ = await listener.accept()
        line = b""
        while part := await wire.recv(65536):
            line += part
        report = json.loads(line or "{}")  # killed before it could say anything
        if report is None:
            heard.set()
        elif report:
            pids = [row.pid for row in tree.descendants(tree.snapshot())] if then == "hold" else []
            print(json.dumps({"report": report, "pids": pids}), flush=True)
        if report and (then == "kill" or (then == "kill refused" and "refused" in report)):
            running.measure(tree.snapshot())  # as the watch does: the kernel forgets what a killed tree has used
            running.kill()


if __name__ == "__main__":
    os.umask(0o022)
    request = json.loads(sys.argv[1])
    with nullcontext() if request["cgroups"] else patch.object(cgroup, "find", return_value=()):
        trio.run(main, request)
