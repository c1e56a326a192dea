"""What masking costs on `read` and `search`: python -m tests.secrets.cost [ROUNDS].

CPU of this process and its children for the same calls, with masking and without it, as a client
over stdio has them: the request is parsed, the answer encoded. Files are new in each round.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson

from redline.server.calls.dispatch import Context
from tests.secrets.seat import Seat
from tests.support import REPO


class Cost(NamedTuple):
    """Milliseconds of CPU for one call, without masking and with it."""

    name: str
    without: float
    masked: float

    @property
    def share(self) -> float:
        """What masking adds, as a share."""
        return self.masked / self.without - 1


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _time(seat: Seat, tool: str, every: list[dict[str, object]], toolset: str) -> float:
    dispatch = seat._dispatches[toolset]
    began = _cpu()
    for arguments in every:
        raw = orjson.dumps(
            {"method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        )
        context = Context(seat._client, request_id="1", raw=raw)
        orjson.dumps(dispatch.call(orjson.loads(raw)["params"], context))
    return (_cpu() - began) / len(every) * 1000


def measure(folder: Path, rounds: int = 20) -> list[Cost]:
    """Return the cost of reading 100 KB for the first time and again, and of searches."""
    source = "".join(path.read_text() for path in sorted((REPO / "src" / "redline").rglob("*.py")))
    pieces = [source[at : at + 100_000] for at in range(0, len(source) - 100_000, 100_000)]
    times: dict[str, tuple[list[float], list[float]]] = {}
    for number in range(rounds):
        for is_masked in ((False, True), (True, False))[number % 2]:
            seat = Seat(folder / f"{number}{is_masked}")
            for at, piece in enumerate(pieces[:20]):
                seat.write(f"f{at}.py", f"# {number} {at}\n{piece}")
            seat.write("a.env", "STRIPE_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc\n")
            seat.call("read", path="a.env")
            seat.call("read_file", toolset="files", path=f"{seat.folder}/a.env")
            if not is_masked:
                seat.redline.__dict__["secrets"] = None
            reads: list[dict[str, object]] = [{"path": f"f{at}.py"} for at in range(20)]
            whole: list[dict[str, object]] = [
                {"path": f"{seat.folder}/f{at}.py"} for at in range(20)
            ]
            found: list[dict[str, object]] = [{"query": "return", "max": 200}] * 10
            for name, took in (
                ("read 100 KB", _time(seat, "read", reads, "agent")),
                ("read 100 KB again", _time(seat, "read", reads, "agent")),
                ("read_file 100 KB again", _time(seat, "read_file", whole, "files")),
                ("search", _time(seat, "search", found, "agent")),
            ):
                times.setdefault(name, ([], []))[is_masked].append(took)
            seat.close()
    return [Cost(name, min(plain), min(masked)) for name, (plain, masked) in times.items()]


def main(rounds: int) -> None:
    """Print the costs."""
    show: Callable[[str], None] = print
    with tempfile.TemporaryDirectory() as folder:
        for cost in measure(Path(folder), rounds):
            show(f"{cost.name:24} {cost.without:7.3f} ms, masked {cost.masked:7.3f} ms"
                 f" ({100 * cost.share:+.1f} %)")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
