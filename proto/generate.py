"""Make the Python code and stubs of proto/referee/v1, for the referee and for the SDK; or check that they are fresh.

The SDK has a copy of its own under another package name: a bot must run without the referee being installed.
"""

import difflib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).parent.parent
PROTO = ROOT / "proto"
TARGETS = {"referee.v1": ROOT / "referee/v1", "referee_sdk.v1": ROOT / "sdk/python/referee_sdk/v1"}
COPIES = ROOT / "sample_bots/javascript/proto/referee/v1"  # a bot's folder is all that it sees
NOT_FOR_BOTS = "record.proto"


def generate(package: str, into: Path) -> dict[str, str]:
    """Return the generated files of one package by name."""
    protos = [p for p in sorted(PROTO.glob("referee/v1/*.proto")) if package == "referee.v1" or p.name != NOT_FOR_BOTS]
    names = [str(p.relative_to(PROTO)) for p in protos]
    bin_dir = Path(sys.executable).parent
    plugin = f"--plugin=protoc-gen-mypy={bin_dir / 'protoc-gen-mypy'}"
    args = ["protoc", f"-I{PROTO}", plugin, f"--python_out={into}", f"--mypy_out=quiet:{into}", *names]
    if protoc.main(args) != 0:
        raise SystemExit("protoc failed: see above")
    texts = {"__init__.py": f'"""Generated from proto/referee/v1 by `make proto`: the messages of {package}."""\n'}
    for file in sorted((into / "referee/v1").iterdir()):
        texts[file.name] = (
            file.read_text()
            .replace("referee.v1 import", f"{package} import")
            .replace("import referee.v1.", f"import {package}.")
            .replace(" referee.v1.", f" {package}.")
            .replace("[referee.v1.", f"[{package}.")
        )
    return texts


def wanted() -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield each folder of generated or copied files with what belongs there."""
    for package, folder in TARGETS.items():
        with tempfile.TemporaryDirectory() as temp:
            yield folder, generate(package, Path(temp))
    protos = PROTO.glob("referee/v1/*.proto")
    yield COPIES, {path.name: path.read_text() for path in protos if path.name != NOT_FOR_BOTS}


def main() -> int:
    """Write the files, or with --check compare them; 1 when they are stale."""
    stale = []
    for folder, texts in wanted():
        for name, text in texts.items():
            path = folder / name
            old = path.read_text() if path.exists() else ""
            if old == text:
                continue
            if "--check" in sys.argv:
                stale.append(str(path.relative_to(ROOT)))
                print(*list(difflib.unified_diff(old.splitlines(), text.splitlines(), lineterm=""))[:10], sep="\n")
            else:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    if stale:
        print(f"stale generated code: {', '.join(stale)}; run `make proto` and commit the result", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
