"""Values that show by themselves where they end: numbers, versions, names, single words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.instruct.grammar.chart import Chart, Edge, rule
from redline.instruct.grammar.values import NOT_FIRST, NOT_KEYS, TokenSpan
from redline.instruct.language.word_families import FAMILY_WORDS


@rule("BARENAME")
def _bare_name(chart: Chart, start: int) -> Iterator[Edge]:
    """A name without quotes: one word that is no plain one, or words with capitals."""
    end = start
    while end < chart.size and chart.tokens[end].kind == "word" and end < start + 5:
        text = chart.tokens[end].text
        if not (text[:1].isupper() or any(mark in text for mark in "._-/@") or text[:1].isdigit()):
            break
        end += 1
    if end > start:
        yield Edge(end, TokenSpan(start, end))


@rule("ONEWORD")
def _one_word(chart: Chart, start: int) -> Iterator[Edge]:
    """One bare word that names nothing here and may be a new element."""
    token = chart.tokens[start] if start < chart.size else None
    if token is None or token.kind != "word" or token.low in NOT_KEYS | NOT_FIRST:
        return
    if not chart.lexicon.senses(start) and _is_alone(chart, start + 1):
        yield Edge(start + 1, TokenSpan(start, start + 1))


def _is_alone(chart: Chart, end: int) -> bool:
    return end >= chart.size or chart.low(end) in (",", ";", ".", "and", "\n", "!", "in", "to")


@rule("CODEWORD")
def _code_word(chart: Chart, start: int) -> Iterator[Edge]:
    """One word that is written as names in programs are: ES256, node-18, eu/west."""
    token = chart.tokens[start] if start < chart.size else None
    if token is None or token.kind not in ("word", "quoted", "code"):
        return
    marked = any(mark.isdigit() or mark in "._-/@:" for mark in token.text)
    if token.kind != "word" or (marked and any(map(str.isalpha, token.text))):
        yield Edge(start + 1, TokenSpan(start, start + 1))


@rule("FAMILYWORD")
def _family_word(chart: Chart, start: int) -> Iterator[Edge]:
    """A word of which fields for such things hold one or another: dark and light, low and high."""
    token = chart.tokens[start] if start < chart.size else None
    if token is not None and token.kind == "word" and token.text in FAMILY_WORDS:
        yield Edge(start + 1, TokenSpan(start, start + 1))


@rule("NUM")
def _number(chart: Chart, start: int) -> Iterator[Edge]:
    """A number in digits, with or without the sign for one."""
    if start < chart.size and chart.low(start).lstrip("#").isdecimal():
        yield Edge(start + 1, TokenSpan(start, start + 1))


@rule("VERSION")
def _version(chart: Chart, start: int) -> Iterator[Edge]:
    """A version or a range of versions: ^3.2.5, >=18, 1.4.0."""
    for edge in chart.edges("VAL", start):
        if _VERSION.fullmatch(chart.text(start, edge.end)):
            yield edge


_VERSION = re.compile(r"(?:[\^~v]|[<>]=?)?\d+(?:\.\d+)*(?:\.x|\.\*)?(?:-[\w.]+)?")


@rule("CODED")
def _coded_key(chart: Chart, start: int) -> Iterator[Edge]:
    """A key in quotes or backticks."""
    if start < chart.size and chart.tokens[start].kind in ("quoted", "code"):
        yield Edge(start + 1, TokenSpan(start, start + 1))
