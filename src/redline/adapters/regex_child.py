"""The program inside a regex worker; run by path, with nothing but regress beside it.

Requests and answers are marshalled tuples behind a four-byte length. The process limits its own
memory, and its own processor time for every request, so that it cannot outlive its parent busy.
"""

from __future__ import annotations

import marshal
import sys
from typing import Any, BinaryIO

_NEWEST = 64


def serve(requests: BinaryIO, answers: BinaryIO, memory: int) -> None:
    """Answer until the input ends."""
    import regress

    limit_memory(memory)
    cache: dict[tuple[str, str], Any] = {}
    while head := requests.read(4):
        body = requests.read(int.from_bytes(head, "little"))
        operation, pattern, flags, seconds, *rest = marshal.loads(body)  # noqa: S302 - our parent
        limit_time(seconds)
        try:
            regex = cache.get((pattern, flags))
            if regex is None:
                if len(cache) > _NEWEST:
                    cache.clear()
                regex = cache[pattern, flags] = regress.Regex(pattern, flags)
            answer = ("ok", _OPERATIONS[operation](regex, *rest))
        except regress.RegressError as error:
            answer = ("bad", str(error))
        except MemoryError:
            answer = ("memory", "")
        data = marshal.dumps(answer)
        answers.write(len(data).to_bytes(4, "little") + data)
        answers.flush()


def limit_memory(memory: int) -> None:
    """Let this process have so many bytes and no more, where the system can say so."""
    try:
        import resource
    except ImportError:  # not a POSIX system: the time budget still holds
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_time(seconds: float) -> None:
    """Let this process compute so many seconds more."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = int(usage.ru_utime + usage.ru_stime + seconds + 2)
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def _check(_regex: Any) -> None:
    return None


def _find(regex: Any, data: bytes, groups: int, limit: int) -> list[tuple[int, ...]]:
    """Matches as (start, end, start of group 1, ...) in characters; -1 where it took no part."""
    text = data.decode("utf-8")
    if limit == 1:
        first = regex.find(text)
        found = [first] if first is not None else []
    else:
        found = regex.find_iter(text)
        if limit:
            found = found[:limit]
    flat = [_numbers(match, groups) for match in found]
    return flat if len(text) == len(data) else _in_characters(flat, data)


def _numbers(match: Any, groups: int) -> tuple[int, ...]:
    whole = match.range()
    numbers = [whole.start, whole.stop]
    for index in range(1, groups + 1):
        span = match.group(index)
        numbers += (-1, -1) if span is None else (span.start, span.stop)
    return tuple(numbers)


def _in_characters(flat: list[tuple[int, ...]], data: bytes) -> list[tuple[int, ...]]:
    where = {-1: -1}
    position = count = 0
    for offset in sorted({number for numbers in flat for number in numbers if number >= 0}):
        count += len(data[position:offset].decode("utf-8"))
        position = offset
        where[offset] = count
    return [tuple(where[number] for number in numbers) for numbers in flat]


def _lines(regex: Any, files: list[bytes], whole_first: bool, limit: int) -> list[list[int]]:
    """For each text, the numbers (from 0) of the lines that match, at most *limit* in all."""
    answer = []
    for data in files:
        text = data.decode("utf-8")
        numbers: list[int] = []
        if limit > 0 and not (whole_first and regex.find(text) is None):
            lines = text.split("\n")
            if not lines[-1]:
                lines.pop()
            for number, line in enumerate(lines):
                if regex.find(line.removesuffix("\r")) is not None:
                    numbers.append(number)
                    limit -= 1
                    if limit <= 0:
                        break
        answer.append(numbers)
    return answer


_OPERATIONS: dict[str, Any] = {"check": _check, "find": _find, "lines": _lines}


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    serve(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[2]))
