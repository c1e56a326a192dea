"""The index of the journal's lines beside a plain reading of the same bytes."""

from __future__ import annotations

import random

import pytest

from redline.adapters.journal.line_index import LineIndex, read_backwards
from redline.adapters.journal.records import (
    Head,
    format_content,
    format_line,
    format_operation,
    tokens_of,
)

pytestmark = pytest.mark.requirement("history-lists-newest-first")

WORDS = [b"apple", b"pear", b"plum", b"fig"]


def _random_journal(rng: random.Random, *, in_order: bool) -> bytes:
    """A journal of up to 40 lines of every kind, some of them damaged."""
    data, made = b"", ["nothing0"]
    for number in range(rng.randrange(40)):
        name, kind = f"{number:08d}", rng.choice("RRRCCCCKFuVbx")
        about = b"%064x:" % rng.randrange(200) if rng.random() < 0.3 else rng.choice(WORDS)
        body = b'{"origin":[' + about + b"x" * rng.randrange(300) + b"]}"
        head = Head(name, "change", None, float(number), rng.randrange(9))
        contents = {f"{rng.randrange(99):064x}": b"YQ==" for _ in range(rng.randint(1, 3))}
        inline = b",".join(format_content(*each) for each in contents.items())
        if kind == "K":
            data += format_line(b"K " + inline)
        elif kind == "x":
            data += b"damaged " + rng.choice(WORDS) + b"\n"
        elif kind in "VF" and not (kind == "V" and in_order):
            data += format_line(f"{kind} {rng.choice(made)}".encode())
        elif kind == "b" and not in_order:
            data += format_operation(head._replace(reverts=f"<{rng.choice(made)}"), body)
            made.append(name)
        else:
            undo = head._replace(kind="undo", reverts=",".join(rng.choices(made, k=30)))
            data += format_operation(undo if kind == "u" else head, body, kind == "C" and contents)
            made.append(name)
        if rng.random() < 0.05:
            data += rng.choice(data.splitlines(keepends=True) or [b""])  # there twice
    return data


def _index(data: bytes, rng: random.Random) -> LineIndex:
    """An index that took the journal in by parts, each up to the end of a line."""
    index = LineIndex((1, 1), lambda length, offset: data[offset : offset + length])
    while index.end < len(data):
        end = data.index(b"\n", rng.randrange(index.end, len(data))) + 1
        index.take_in(data[index.end : end])
    return index


@pytest.mark.parametrize("in_order", [True, False])
def test_lines_are_found_from_the_newest_back_by_what_they_hold(in_order: bool) -> None:
    for seed in range(100):
        rng = random.Random(seed)
        data = _random_journal(rng, in_order=in_order)
        _compare_search(data, _index(data, rng), rng)


def _compare_search(data: bytes, index: LineIndex, rng: random.Random) -> None:
    size = rng.choice([1, 200, 5000])

    def window_before(name: str) -> tuple[bytes, int]:
        offset, length = index.span(name)
        start = max(0, offset + length - max(size, length))
        return data[start : offset + length], start

    end = rng.randint(0, len(index.ids))
    everything = list(read_backwards(index, end, (), window_before))
    assert [name for name, _ in everything] == list(reversed(index.ids[:end]))
    for name, raw in everything:
        assert raw.split(b" ")[2] == name.encode()
        assert raw.endswith(b"\n")
    for having in ([b"apple"], [b"pear", b"fig"], [b"no such text"]):
        expected = [each for each in everything if any(text in each[1] for text in having)]
        found = read_backwards(index, end, having, window_before)
        assert [each for each in found if any(text in each[1] for text in having)] == expected


def test_contents_are_where_the_index_says() -> None:
    for seed in range(100):
        rng = random.Random(seed)
        data = _random_journal(rng, in_order=False)
        index = _index(data, rng)
        there = set()
        for line in data.splitlines(keepends=True):
            if line[9:11] == b"K ":
                there |= {token[:64] for token in line[11:-1].split(b",")}
            elif line[9:11] == b"C ":
                there |= {token[:64] for token in tokens_of(line)}
        for name in rng.sample(index.ids, min(3, len(index.ids))):
            offset, length = index.span(name)
            index.contents.look_at(data[offset : offset + length], offset)
        for number in range(99):
            digest = f"{number:064x}"
            place = index.contents.locate(digest)
            if place is None:
                assert digest.encode() not in there
            else:
                offset, length = place
                assert data[offset : offset + length] == digest.encode() + b":YQ=="


def test_what_an_index_says_of_operations() -> None:
    for seed in range(100):
        rng = random.Random(seed)
        data = _random_journal(rng, in_order=False)
        index = _index(data, rng)
        assert list(index.order) == list(index.ids)
        all_ids = {
            line.split(b" ")[2].decode() for line in data.splitlines() if line[9:10] in b"RC"
        }
        assert set(index.ids) == all_ids - index.revoked
        assert len(set(index.ids)) == len(index.ids)
        assert index.unreadable == sum(line[:8] == b"damaged " for line in data.splitlines())
        lines = [index.find(name) for name in index.ids]
        heads = [line.head for line in lines if line is not None]
        assert [head.id for head in heads] == list(index.ids)
        special = [head for head in heads if head.kind != "change" or head.reverts]
        assert [line.head for line in index.special] == special
        for late, follower in index._before.items():
            if {late, follower} <= set(index.ids):
                assert index.order[late] < index.order[follower]


def test_what_was_recorded_late_is_right_before_what_it_was_recorded_for() -> None:
    # c and d happened right before b, in this order, and e right before c.
    before = {"a": None, "b": None, "c": "<b", "d": "<b", "e": "<c", "f": None}
    heads = [Head(name, "change", reverts, 1.0, 0) for name, reverts in before.items()]
    data = b"".join(format_operation(head, b"{}") for head in heads)
    assert list(_index(data, random.Random(1)).ids) == list("aecdbf")
