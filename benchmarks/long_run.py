"""A long tournament of quick, well-behaved bots under a hard limit: is anybody late, and does memory stay flat?

    python -m benchmarks.long_run [GAMES]

The bots decide in no time, so what the clock charged them is what the referee and the machine added. `move` is 50 ms
and as many bots think at once as there are cores. Prints the resident memory of the referee's processes at every tenth,
the faults and voids, and the distribution of charged times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from referee import faults, samples
from referee.store import Store
from referee.table import BOT

SETTINGS = """
name = "long"
game = "six_nimmt"
seats = 4
bots = {bots}
options = {{ max_deals = 1 }}
schedule = {{ deals = {deals}, max_games = {games} }}
time = {{ move = "50ms", free = "50ms", bank = "0s" }}
limits = {{ thinkers = {cores}, games_in_flight = 128 }}
"""


def resident(pid: int) -> float:
    """Return a process's resident memory in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def worker_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def main() -> None:
    """Run the tournament and print what came of it."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    bots = [str(samples.folder() / name) for name in ("lowest", "highest", "random", "nearest")]
    with tempfile.TemporaryDirectory() as folder:
        file, arena = Path(folder, "long.toml"), Path(folder, "arena")
        cores = os.cpu_count() or 1
        file.write_text(SETTINGS.format(bots=bots, deals=games // 4, games=games, cores=cores).replace("'", '"'))
        command = [sys.executable, "-m", "referee", "run", str(file), "--arena", str(arena)]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert run.stderr is not None
        print(f"{'games':>10} {'tournament MB':>14} {'worker MB':>10}")
        for line in run.stderr:
            if f" of {games} games," in line:
                print(
                    f"{line.split()[0]:>10} {resident(run.pid):>14.1f} {resident(worker_of(run.pid)):>10.1f}",
                    flush=True,
                )
        run.wait()
        with Store.open(arena, write=False) as store:
            report(store)


def report(store: Store) -> None:
    """Print faults, voids and the distribution of what bots were charged."""
    charged, kinds = [], Counter[str]()
    for record in store.records("long"):
        kinds.update(faults.name(fault.kind) for fault in record.faults)
        charged += [e.decision.us for e in record.events if e.HasField("decision") and e.decision.by == BOT]
    print(f"faults: {dict(kinds) or 'none'}; games voided: {len(store.voids('long'))}; decisions: {len(charged):,}")
    at = (50, 90, 99, 99.9, 99.99, 100)
    spread = zip(at, np.percentile(charged, at), strict=True)
    print("charged: " + ", ".join(f"p{share:g} {us / 1000:.2f} ms" for share, us in spread))


if __name__ == "__main__":
    main()
