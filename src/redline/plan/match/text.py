"""Candidates for a substring edit, level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from redline.core.errors import NoMatch
from redline.core.textfile import line_body, split_lines
from redline.plan.match.compose import compose, dominant_end, end_at
from redline.plan.match.indent import OPENERS, indent_of
from redline.plan.match.lines import ambiguous_typography, block_candidates, may_stand
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.match.typography import FileTypography, fold
from redline.plan.match.views import TextView, occurrences, starts_mid_word, unify_ends

Span = tuple[int, int]
_MAX_MARGIN = 1000


def candidates(text: str, old: str, new: str, within: range | None) -> list[Placement]:
    """Every place for *old* at the strictest level that has one.

    The end of the file ends its last line: a newline in *old* that the file lacks there is no
    evidence that another place is meant.
    """
    if not old.endswith("\n") or not text or text.endswith("\n"):
        return _candidates(text, old, new, within)
    found = _candidates(text + (dominant_end(text) or "\n"), old, new, within)
    return [
        _drop_lent_newline(placement, len(text))
        for placement in found
        if placement.start < len(text)
    ]


def _drop_lent_newline(placement: Placement, length: int) -> Placement:
    """*placement* for a text that ends at *length*, without the newline added for matching."""
    if placement.end <= length:
        return placement
    return replace(placement, end=length, replacement=line_body(placement.replacement))


def _candidates(text: str, old: str, new: str, within: range | None) -> list[Placement]:
    for spans, build in (
        (_literal_spans, _literal),
        (_trailing_spans, _trailing),
        (_folded_spans, _place_folded),
    ):
        if spans is _folded_spans:
            # Before look-alike characters comes the indentation of whole lines.
            found = _inside(block_candidates(text, old, new, MatchLevel.INDENT), within)
            if found:
                return found
        places = _number_lines(text, spans(text, old), within)
        if len(places) > 1:
            level = _LEVELS[spans]
            return [Placement(start, end, "", level, line) for start, end, line in places]
        if places:
            start, end, line = places[0]
            return [build(text, start, end, line, old, new)]
    return _inside(block_candidates(text, old, new, MatchLevel.TYPOGRAPHY_INDENT), within)


def _inside(found: list[Placement], within: range | None) -> list[Placement]:
    return (
        found
        if within is None
        else [placement for placement in found if placement.line - 1 in within]
    )


def _number_lines(
    text: str, spans: Iterable[Span], within: range | None
) -> list[tuple[int, int, int]]:
    """Spans with the line each begins on, those outside of *within* left out."""
    found: list[tuple[int, int, int]] = []
    line, counted = 1, 0
    for start, end in spans:
        line, counted = line + text.count("\n", counted, start), start
        if within is None or line - 1 in within:
            found.append((start, end, line))
    return found


def _literal_spans(text: str, old: str) -> Iterable[Span]:
    """Spans of the same text; one whose only difference is LF for CRLF is the same."""
    wanted = unify_ends(old)
    if "\r" not in text:
        return [(at, at + len(wanted)) for at in occurrences(text, wanted)]
    view = TextView(text, str)
    found = [
        (view.raw_offset(at), view.raw_offset(at + len(wanted)))
        for at in occurrences(view.text, wanted)
    ]
    if not found and "\r" in old:
        found = [(at, at + len(old)) for at in occurrences(text, old)]
    return found


def _literal(text: str, start: int, end: int, line: int, old: str, new: str) -> Placement:
    return _whole_line(
        text, _placement(text, start, end, line, old, new, MatchLevel.LITERAL), old, new
    )


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
    """The matched text cut where *old* has its lines."""
    lines = split_lines(found)
    # A last line of blanks may mean nothing at all.
    return lines + [""] * (len(split_lines(old)) - len(lines))


def _whole_line(text: str, placement: Placement, old: str, new: str) -> Placement:
    """Keep a line that was quoted without its full indentation from misleading what follows it.

    The match is literal, but it begins inside an indentation and the new text has further lines:
    they may count from the margin of the file or from the margin of the quotation. Lines at least
    as deep as the file's line count from the file's margin. Anything else is only safe when old
    and new are whole lines and the new ones follow at once.
    """
    margin = text[text.rfind("\n", 0, placement.start) + 1 : placement.start]
    if margin and not margin.strip(" \t"):
        _refuse_double_margin(placement, margin, old, new)
    following = [line_body(line) for line in split_lines(new)[1:]]
    if not margin or margin.strip(" \t") or not any(line.strip() for line in following):
        return placement
    if any(line.strip() for line in split_lines(old)[1:]):
        return placement
    full = margin + indent_of(old)
    filled = [line for line in following if line.strip()]
    if all(line.startswith(full) for line in filled) and not _opens_block_at(new, filled, full):
        return placement
    whole = old.endswith("\n") and new.endswith("\n") and bool(following[0].strip())
    whole = whole and not _is_as_in_file(margin, old, new)
    deeper = len(indent_of(filled[0])) > len(indent_of(new))
    whole = whole and not (deeper and not line_body(split_lines(new)[0]).rstrip().endswith(OPENERS))
    if whole and all(line.startswith(indent_of(old)) for line in filled):
        return _shift(placement, margin)
    raise NoMatch(
        f"The text is at line {placement.line}, but without that line's indentation it is not clear"
        " where the further lines of the new text belong",
        hint="quote whole lines with their indentation;"
        f" line {placement.line} begins with {full!r}",
        details={"line": placement.line},
    )


def _is_as_in_file(margin: str, old: str, new: str) -> bool:
    """Whether *new* has the quoted line with the file's margin, and no block opened around it."""
    line = margin + line_body(split_lines(old)[0]).rstrip()
    bodies = [line_body(part).rstrip() for part in split_lines(new)]
    return line in bodies[1:] and not bodies[bodies.index(line, 1) - 1].endswith(OPENERS)


def _refuse_double_margin(placement: Placement, margin: str, old: str, new: str) -> None:
    """Refuse new text that brings the margin the quoted line left out, or leaves it behind."""
    had, brings = indent_of(old), indent_of(new)
    if not new.strip() and old.endswith("\n"):
        raise NoMatch(
            f"The text is at line {placement.line}; without it the indentation before it would be"
            " left over and join the next line",
            hint=f"quote the line with its indentation {margin + had!r}",
            details={"line": placement.line},
        )
    if brings != had and brings.startswith(margin + had):
        raise NoMatch(
            f"The text is at line {placement.line} after an indentation that the old text leaves"
            " out and the new text brings along",
            hint=f"quote the line with its indentation {margin + had!r}, or leave it out of both",
            details={"line": placement.line},
        )


def _opens_block_at(new: str, filled: list[str], full: str) -> bool:
    """Whether the first new line opens a block whose lines would be at its own depth."""
    opener = line_body(split_lines(new)[0]).rstrip().endswith((":", "{", "(", "["))
    return (
        opener
        and indent_of(filled[0]) == full
        and not filled[0].lstrip().startswith(("}", ")", "]"))
    )


def _shift(placement: Placement, margin: str) -> Placement:
    lines = split_lines(placement.replacement)
    moved = [lines[0], *(margin + x if x.strip() else x for x in lines[1:])]
    note = "indented as the line in the file"
    return Placement(
        placement.start, placement.end, "".join(moved), MatchLevel.INDENT, placement.line, note
    )


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
    ends_line = old.endswith((" ", "\t"))
    for at in occurrences(view.text, wanted):
        stop = at + len(wanted)
        if ends_line and stop < len(view.text) and view.text[stop] != "\n":
            continue
        if starts_mid_word(view.text, at) or starts_mid_word(view.text, stop):
            continue
        if _in_margin(view.text, at):
            continue
        start, end = view.raw_offset(at), view.raw_offset(stop)
        yield start, _line_stop(text, end, ends_line)


def _in_margin(text: str, offset: int) -> bool:
    """Whether only blanks precede *offset* on its line, and at least one."""
    start = text.rfind("\n", 0, offset) + 1
    return start < offset and offset - start < _MAX_MARGIN and text[start:offset].isspace()


def _line_stop(text: str, offset: int, quoted: bool) -> int:
    """Where a match ends that may overlook the blanks behind *offset*.

    A call that quotes blanks means them too; blanks that end a line belong to that line, so that
    it stays whole when it is kept and goes as a whole when it is not.
    """
    stop = offset
    while stop < len(text) and text[stop] in " \t":
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


_LEVELS = {
    _literal_spans: MatchLevel.LITERAL,
    _trailing_spans: MatchLevel.TRAILING,
    _folded_spans: MatchLevel.TYPOGRAPHY,
}
