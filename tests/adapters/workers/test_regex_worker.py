"""Regular expressions run apart, within a budget, and mean what ECMAScript says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from redline.adapters.workers.regex_worker import RegexWorkers
from redline.core.errors import InvalidPattern, LimitReached, TimeLimit
from redline.core.ports.search import RegexMatch


@pytest.fixture(scope="module")
def workers() -> Iterator[RegexWorkers]:
    made = RegexWorkers()
    yield made
    made.close()


def spans(workers: RegexWorkers, pattern: str, text: str, flags: str = "m") -> list[str]:
    return [text[m.start : m.end] for m in workers.find(pattern, text, flags=flags)]


def test_offsets_are_characters_not_bytes(workers: RegexWorkers) -> None:
    assert spans(workers, "^.$", "é\n😀\nab\n") == ["é", "😀"]


def test_undecodable_bytes_count_as_one_character_each(workers: RegexWorkers) -> None:
    text = b"caf\xe9 b".decode("utf-8", "surrogateescape")
    (match,) = workers.find("(.) b", text, groups=1)
    assert match.groups == ((3, 4),)


def test_groups_that_took_no_part_are_none(workers: RegexWorkers) -> None:
    assert [m.groups for m in workers.find("(a)|(b)", "ab", groups=2)] == [
        ((0, 1), None),
        (None, (1, 2)),
    ]


def test_the_lax_syntax_holds_unless_unicode_is_asked_for(workers: RegexWorkers) -> None:
    assert spans(workers, r"\-", "a-b") == ["-"]
    assert spans(workers, r"\p{L}+", "1éa2") == ["éa"]


@pytest.mark.parametrize("pattern", ["(", "[", "a{2,1}", "*a", r"(?<n>a)(?<n>b)"])
def test_a_malformed_pattern_is_named(workers: RegexWorkers, pattern: str) -> None:
    with pytest.raises(InvalidPattern) as caught:
        workers.check(pattern)
    assert pattern in caught.value.message


def test_lines_are_searched_one_by_one(workers: RegexWorkers) -> None:
    texts = [b"foo\r\nbar\nfoo", b"none\n", "é foo\n".encode()]
    assert workers.matching_lines("^foo$", texts) == [[0, 2], [], []]
    assert workers.matching_lines(r"foo\sbar", texts) == [[], [], []]
    assert workers.matching_lines("foo(?!.)", texts) == [[0, 2], [], [0]]
    assert workers.matching_lines("o", texts, limit=2) == [[0, 2], [], []]


CATASTROPHES = [
    (r"(a+)+$", "a" * 40 + "!"),
    (r"(a|aa)+$", "a" * 60 + "!"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60),
    (r"(x+x+)+y", "x" * 40),
    (r"(.*)*z", "a" * 40),
]


@pytest.mark.parametrize(("pattern", "text"), CATASTROPHES)
def test_a_catastrophe_is_stopped_in_time_and_the_next_call_works(pattern: str, text: str) -> None:
    workers = RegexWorkers(budget=0.2)
    # Each of these would run for hours: that the call returns at all shows who ended it.
    with pytest.raises(TimeLimit, match=r"took longer than 0\.2 s"):
        workers.find(pattern, text)
    assert [m.start for m in _find_patiently(workers, "b", "ab")] == [1]
    workers.close()


def _find_patiently(workers: RegexWorkers, pattern: str, text: str) -> list[RegexMatch]:
    """Find *pattern*; on a machine under load a new process may start later than its budget."""
    for _ in range(50):
        with suppress(TimeLimit):
            return workers.find(pattern, text)
    return workers.find(pattern, text)


def test_other_calls_go_on_during_a_catastrophe() -> None:
    workers = RegexWorkers(budget=6.0)
    stopped: list[BaseException] = []

    def runaway() -> None:
        try:
            workers.find(*CATASTROPHES[0])
        except TimeLimit as error:
            stopped.append(error)

    thread = threading.Thread(target=runaway)
    thread.start()
    for _ in range(20):
        assert len(workers.find("a", "aaa")) == 3
    assert thread.is_alive(), "the quick calls must not have waited for the slow one"
    thread.join()
    assert stopped
    workers.close()


def test_memory_is_bounded() -> None:
    workers = RegexWorkers(budget=20, memory=160 << 20)
    with pytest.raises(LimitReached):
        workers.find("(?:a?){0,3}|", "a" * 20_000_000)
    assert len(workers.find("a", "a")) == 1
    workers.close()
