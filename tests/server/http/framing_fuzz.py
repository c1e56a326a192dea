"""Mutated requests, cut anywhere: the server lives, and what it serves is what h11 reads.

python -m tests.server.http.framing_fuzz 1000000 [SEED]
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tests.server.http.exchange import Exchange, comparable, judge

_REQUESTS = (
    b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
    b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nX:\r\n\r\n",
    b"GET /a?b=%20 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    b"DELETE /mcp HTTP/1.0\r\nHost: x\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nX-a: \xe9\t b\r\nMcp-Session-Id: 1\r\n\r\n",
)
# A server may skip empty lines before a request, and take several blanks for one (RFC 9112).
_TOLERATED = re.compile(rb"[\r\n]*(\S+) +(\S+) +(?=HTTP/)")
_PIECES = (b"\r\n", b"\n", b"\r", b"\0", b":", b" ", b"\t", b";", b"chunked", b"HTTP/", b"0\r\n",
           b"Content-Length: 5\r\n", b"Transfer-Encoding: gzip\r\n", b"\xff" * 9,
           b"a" * 300, b"9" * 40)  # fmt: skip


def mutate(chance: random.Random, data: bytes) -> bytes:
    """Change a request in a few places."""
    changed = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(5):
            case 0:
                changed[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                del changed[at : at + chance.randint(1, 12)]
            case 2:
                changed[at:at] = chance.choice(_PIECES)
            case 3:
                start = chance.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + chance.randint(1, 40)]
            case _:
                changed[at:at] = chance.choice(_REQUESTS)
    return bytes(changed)


def cut(chance: random.Random, data: bytes) -> list[bytes]:
    """Cut data in a few places, or everywhere."""
    if chance.random() < 0.1:
        return [data[at : at + 1] for at in range(len(data))]
    places = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(4)))
    edges = [0, *places, len(data)]
    return [data[a:b] for a, b in pairwise(edges) if a < b]


async def _try(pieces: Sequence[bytes]) -> Exchange:
    opened = await Exchange().send(*pieces)
    opened.protocol.connection_lost(None)
    await asyncio.sleep(0)
    return opened


async def run(count: int, seed: int) -> Counter[str]:
    """Try *count* requests; AssertionError for one that h11 reads otherwise."""
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(count):
        data = mutate(chance, chance.choice(_REQUESTS))
        served = await _try(cut(chance, data))
        found["served" if served.seen else "refused" if served.is_refused else "waiting"] += 1
        for one in served.seen[:1]:
            expected = judge(_TOLERATED.sub(rb"\1 \2 ", data, count=1))
            assert expected is not None, data
            assert comparable(one) == comparable(expected), data
    return found


if __name__ == "__main__":
    print(dict(asyncio.run(run(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0])))))
