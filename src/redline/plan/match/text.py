"""Candidates for a substring edit, level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from redline.core.records import replace
from redline.core.textfile import dominant_end, line_body, split_lines, unify_ends
from redline.plan.match.after_indentation import margin_of, refuse_hanging
from redline.plan.match.compose import compose
from redline.plan.match.elision import elided_candidates
from redline.plan.match.lines import (
    ambiguous_typography,
    block_candidates,
    list_blocks,
    may_stand,
)
from redline.plan.match.normalized import (
    TextView,
    end_at,
    is_whole_lines,
    occurrences,
    starts_mid_word,
)
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.match.typography import FileTypography, fold

Span = tuple[int, int]
_Place = tuple[int, int, int]
_MAX_MARGIN = 1000


def candidates(
    text: str, old: str, new: str, within: range | None, strict: bool = False
) -> list[Placement]:
    """Return every place for *old* at the strictest level that has one.

    The end of the file ends its last line: a newline in *old* that the file lacks there is no
    evidence that another place is meant.
    """
    length = len(text)
    is_lent = old.endswith("\n") and length > 0 and not text.endswith("\n")
    if is_lent:
        text += dominant_end(text) or "\n"
    places = _number_lines(text, literal_spans(text, old), within)
    if len(places) > 1 and not strict:
        places = _prefer_whole_lines(text, places)
    if len(places) == 1 and places[0][1] <= length:
        return [_literal(text, *places[0], old, new)]
    found = next(filter(None, _levels(text, old, new, within, strict, places)), [])
    if is_lent:
        return [_drop_lent_newline(each, length) for each in found if each.start < length]
    return found


def _drop_lent_newline(placement: Placement, length: int) -> Placement:
    """*placement* for a text that ends at *length*, without the newline added for matching."""
    if placement.end <= length:
        return placement
    return replace(placement, end=length, replacement=line_body(placement.replacement))


def _levels(
    text: str,
    old: str,
    new: str,
    within: range | None,
    strict: bool,
    places: list[_Place],
) -> Iterator[list[Placement]]:
    """Candidates level by level, from strict to tolerant; *places* are the literal ones."""
    if len(places) == 1:
        # It needs a newline that the file lacks: what differs in trailing blanks counts as much,
        # and behind a part of its indentation it is a line that is indented otherwise.
        alike = {*places, *_number_lines(text, _trailing_spans(text, old), within)}
        yield _as_placements(sorted(alike), MatchLevel.TRAILING) if len(alike) > 1 else []
        indented = list_blocks(text, old) if strict else []
        yield _inside(indented, within) if len(indented) > 1 else []
        places = [] if _in_margin(text, places[0][0]) else places
    yield _one_of(places, MatchLevel.LITERAL, lambda place: _literal(text, *place, old, new))
    places = _number_lines(text, _trailing_spans(text, old), within)
    yield _one_of(places, MatchLevel.TRAILING, lambda place: _trailing(text, *place, old, new))
    indented = _inside(block_candidates(text, old, new, MatchLevel.INDENT, strict), within)
    places = _number_lines(text, _folded_spans(text, old), within)
    # Another indentation and look-alike characters are equally far from what was quoted.
    yield indented and [*indented, *_as_placements(places, MatchLevel.TYPOGRAPHY)]
    yield _one_of(
        places, MatchLevel.TYPOGRAPHY, lambda place: _place_folded(text, *place, old, new)
    )
    for level in (MatchLevel.TYPOGRAPHY_INDENT, MatchLevel.BLANK_LINES):
        yield _inside(block_candidates(text, old, new, level), within)
    yield _inside(elided_candidates(text, old, new), within)


def _one_of(
    places: list[_Place], level: MatchLevel, build: Callable[[_Place], Placement]
) -> list[Placement]:
    """Return the placement of the one place there is; of several only where they are."""
    return [build(places[0])] if len(places) == 1 else _as_placements(places, level)


def _as_placements(places: list[_Place], level: MatchLevel) -> list[Placement]:
    return [Placement(start, end, "", level, line) for start, end, line in places]


def _prefer_whole_lines(text: str, places: list[_Place]) -> list[_Place]:
    """Return the only one of several places that is whole lines, if there is one; else all of them.

    Whole lines are no evidence where another place is the same lines at another indentation.
    """
    whole = [place for place in places if is_whole_lines(text, *place[:2])]
    indented = any(
        margin_of(text, start) and is_whole_lines(text, text.rfind("\n", 0, start) + 1, end)
        for start, end, _ in places
    )
    return whole if len(whole) == 1 and not indented else places


def _inside(found: list[Placement], within: range | None) -> list[Placement]:
    return (
        found
        if within is None
        else [placement for placement in found if placement.line - 1 in within]
    )


def _number_lines(text: str, spans: Iterable[Span], within: range | None) -> list[_Place]:
    """Spans with the line each begins on, those outside of *within* left out."""
    found: list[_Place] = []
    line, counted = 1, 0
    for start, end in spans:
        line, counted = line + text.count("\n", counted, start), start
        if within is None or line - 1 in within:
            found.append((start, end, line))
    return found


def literal_spans(text: str, old: str) -> list[Span]:
    """Spans of the same text; one whose only difference is LF for CRLF is the same."""
    wanted = unify_ends(old)
    if "\r" in text:
        if "\r" in wanted or text.count("\n") != text.count("\r\n"):
            return _spans_across_ends(text, old, wanted)
        wanted = wanted.replace("\n", "\r\n")
    return [(at, at + len(wanted)) for at in occurrences(text, wanted)]


def _spans_across_ends(text: str, old: str, wanted: str) -> list[Span]:
    """Spans of *wanted* where the line ends of *text* are mixed, else of *old* as it is."""
    view = TextView(text, str)
    found = [
        (view.raw_offset(at), view.raw_offset(at + len(wanted)))
        for at in occurrences(view.text, wanted)
    ]
    if not found and "\r" in old:
        return [(at, at + len(old)) for at in occurrences(text, old)]
    return found


def _literal(text: str, start: int, end: int, line: int, old: str, new: str) -> Placement:
    placement = _placement(text, start, end, line, old, new, MatchLevel.LITERAL)
    refuse_hanging(text, placement, old, new)
    return placement


def _trailing(text: str, start: int, end: int, line: int, old: str, new: str) -> Placement:
    return _placement(text, start, end, line, old, new, MatchLevel.TRAILING)


def _placement(
    text: str, start: int, end: int, line: int, old: str, new: str, level: MatchLevel
) -> Placement:
    default = dominant_end(text)
    literal = level is MatchLevel.LITERAL
    if literal and default == "\n" and "\r" not in text:
        replacement = unify_ends(new)
    elif not default and "\n" not in old:
        replacement = new
    else:
        found = _pieces(text[start:end], old)
        behind = end_at(text, end)
        ending = default or "\n"
        replacement = compose(found, split_lines(old), split_lines(new), ending, behind=behind)
    return Placement(start, end, replacement, level, line)


def _pieces(found: str, old: str) -> list[str]:
    """Return the matched text cut where *old* has its lines."""
    lines = split_lines(found)
    # A last line of blanks may mean nothing at all.
    return lines + [""] * (len(split_lines(old)) - len(lines))


def _trailing_spans(text: str, old: str) -> Iterable[Span]:
    if not may_stand(text, old):
        return ()
    return _view_hits(text, old, lambda line: line.rstrip(" \t"))


def _folded_spans(text: str, old: str) -> Iterable[Span]:
    if (text.isascii() and old.isascii()) or not may_stand(fold(text), fold(old)):
        return ()
    return _view_hits(text, old, lambda line: fold(line).rstrip(" \t"))


def _view_hits(text: str, old: str, keep: Callable[[str], str]) -> Iterator[tuple[int, int]]:
    """Raw spans where *old* occurs in a view, not cut through words nor through indentation."""
    view, wanted = TextView(text, keep), TextView(unify_ends(old), keep).text
    ends_line = not keep(old[-1])
    for at in occurrences(view.text, wanted):
        stop = at + len(wanted)
        if ends_line and stop < len(view.text) and view.text[stop] != "\n":
            continue
        if starts_mid_word(view.text, at) or starts_mid_word(view.text, stop):
            continue
        if _in_margin(view.text, at):
            continue
        start, end = view.raw_offset(at), view.raw_offset(stop)
        yield start, _line_stop(text, end, ends_line, keep)


def _in_margin(text: str, offset: int) -> bool:
    """Return whether only blanks precede *offset* on its line, and at least one."""
    start = text.rfind("\n", 0, offset) + 1
    return start < offset and offset - start < _MAX_MARGIN and text[start:offset].isspace()


def _line_stop(text: str, offset: int, quoted: bool, keep: Callable[[str], str]) -> int:
    """Where a match ends that may overlook the blanks after *offset*, which *keep* leaves out.

    A call that quotes blanks means them too; blanks that end a line belong to that line, so that
    it stays whole when it is kept and goes as a whole when it is not. A line of blanks after the
    last one that is quoted is another line.
    """
    if not quoted and text.endswith("\n", 0, offset):
        return offset
    stop = offset
    while stop < len(text) and not keep(text[stop]):
        stop += 1
    return stop if quoted or stop == len(text) or end_at(text, stop) else offset


def _place_folded(text: str, start: int, end: int, line: int, old: str, new: str) -> Placement:
    found, quoted = _pieces(text[start:end], old), split_lines(old)
    pairs = ((line_body(o), line_body(f)) for o, f in zip(quoted, found, strict=False))
    typography = FileTypography(pairs, text)

    def rewrite(body: str, index: int | None) -> str:
        pair = ("", "") if index is None else (line_body(quoted[index]), line_body(found[index]))
        rewritten = typography.rewrite(body, *pair)
        if rewritten is None:
            raise ambiguous_typography(line)
        return rewritten

    ending, behind = dominant_end(text) or "\n", end_at(text, end)
    replacement = compose(found, quoted, split_lines(new), ending, rewrite, behind=behind)
    return Placement(start, end, replacement, MatchLevel.TYPOGRAPHY, line)
