"""How the facts of files are spelled: their kinds, their times, and whole lists as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from stat import S_IFDIR, S_IFLNK, S_IFREG

import orjson

from redline.core.paths import show_name
from redline.core.ports.tree import FactLists

KIND = 0o170000
KINDS = {S_IFREG: "file", S_IFDIR: "directory", S_IFLNK: "symlink"}
_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def modified(mtime_ns: int) -> str:
    """A time as ISO-8601 in UTC, to the second where that is exact."""
    seconds, rest = divmod(mtime_ns, _SECOND)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        moment = _EPOCH
    fraction = f".{rest // 1000:06d}" if rest else ""
    return f"{moment.isoformat()[:19]}{fraction}Z"


class Files:
    """Makes JSON of files: tens of thousands stand in one answer, and nearly all of their names
    are JSON as they are."""

    def __init__(self) -> None:
        self._ends = _Ends()

    def spell(self, prefix: str, facts: FactLists) -> str:
        """Some files, given with the start of their paths: objects with commas between."""
        ends, (_, modes, sizes, seconds, _) = self._ends, facts
        prefix, names = _quotable(prefix, facts.names)
        numbers = orjson.dumps(sizes)[1:-1].decode().split(",")
        start = f'{{"path":"{prefix}'
        if _all_same(modes) and _all_same(seconds):
            # As most directories are: what stands between two sizes and names is always the same.
            middle, end = _middle(modes[0] & KIND), ends[seconds[0]]
            rows = map(middle.join, zip(names, numbers, strict=True))
            return start + f"{end},{start}".join(rows) + end
        middles = {mode: _middle(mode & KIND) for mode in set(modes)}
        columns = zip(names, modes, numbers, seconds, strict=True)
        return ",".join([f"{start}{n}{middles[m]}{z}{ends[s]}" for n, m, z, s in columns])


def _all_same(values: list[int]) -> bool:
    return values.count(values[0]) == len(values)


def _middle(kind: int) -> str:
    return f'","type":"{KINDS[kind]}","size_bytes":'


def _quotable(prefix: str, names: list[str]) -> tuple[str, list[str]]:
    """A path in two parts as it stands between the quotes of a JSON string."""
    together = prefix + "".join(names)
    if together.isascii() and len(orjson.dumps(together)) == len(together) + 2:
        return prefix, names
    return _quoted(prefix), [_quoted(name) for name in names]


def _quoted(name: str) -> str:
    return orjson.dumps(show_name(name)).decode()[1:-1]


class _Ends(dict[int, str]):
    """How a row ends, by the second of its time, each spelled once: many files are of the same."""

    def __missing__(self, second: int) -> str:
        self[second] = end = f',"modified":"{modified(second * _SECOND)}"}}'
        return end
