"""The noises: each takes a clean edit and makes it the almost right thing that models send.

A noise returns the edit as sent (its file may have changed too) or None where it has no hold.
What must come of it stands in the table at the end, by the rule it belongs to.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.noise.independent.cases import (
    APPLY,
    APPLY_PATCH,
    CODE,
    DIALECTS,
    EDIT_FILE,
    EITHER,
    REFUSE,
    Hunk,
    common_indent,
    crlf_call,
)
from tests.noise.independent.text import ANY, DASHES, QUOTES, SPACES, fold, indent_of, is_blank

Change = Callable[[random.Random, Hunk], Hunk | None]
BLANKS = (" ", "  ", "\t", "    ")


def clean(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Nothing wrong with it."""
    return hunk


def dollars(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The new text holds what a regular expression would expand."""
    at = next((i for i, (tag, _) in enumerate(hunk.rows) if tag == "+"), None)
    if at is None:
        return None
    text = hunk.rows[at][1] + rng.choice(("$1", "\\1", "$&", "$$", "\\0\\n", "${0}", "\\g<1>"))
    added = (text, *hunk.added[1:])
    return replace(hunk.with_row(at, text), added=added)


def substring(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The old text begins within its line: the first line's indentation is left out."""
    texts = hunk.rows
    if texts[0][0] == "+" or not indent_of(texts[0][1]):
        return None
    if texts[0][0] == " ":
        return hunk.with_row(0, texts[0][1].lstrip(" \t"))
    plus = next((i for i, (tag, _) in enumerate(texts) if tag == "+"), None)
    if plus is None or indent_of(texts[plus][1]) != indent_of(texts[0][1]):
        return None
    hunk = hunk.with_row(0, texts[0][1].lstrip(" \t"))
    return hunk.with_row(plus, texts[plus][1].lstrip(" \t"))


def lookalike(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Elsewhere stands nearly the same."""
    at = hunk.outside(rng)
    alike = [_looks_like(rng, text) for text in hunk.old]
    if at < 0 or alike == hunk.old:
        return None
    if rng.random() < 0.5:
        alike = [text if is_blank(text) else "    " + text for text in hunk.old]
    return hunk.with_inserted(at, alike)


def _looks_like(rng: random.Random, text: str) -> str:
    return text + rng.choice(("", *BLANKS)) if not is_blank(text) else text


def _own(hunk: Hunk, index: int) -> bool:
    """No other row looks like this one, so nobody can take one for the other."""
    seen = [fold(text) for _, text in hunk.rows]
    return seen.count(seen[index]) == 1


def _some(rng: random.Random, hunk: Hunk, fit: Callable[[str], bool]) -> list[int]:
    fitting = [
        i for i, (tag, text) in enumerate(hunk.rows) if tag != "+" and fit(text) and _own(hunk, i)
    ]
    return rng.sample(fitting, rng.randint(1, len(fitting))) if fitting else []


def trailing_lost(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The file has blanks at the end of lines, the call has not."""
    rows = _some(rng, hunk, lambda text: text == text.rstrip())
    for index in rows:
        text = hunk.rows[index][1] + rng.choice(BLANKS)
        hunk = hunk.with_doc_line(hunk.line_of(index), text)
    return hunk if rows else None


def trailing_added(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The call has blanks at the end of lines, the file has not."""
    rows = _some(rng, hunk, lambda text: text == text.rstrip())
    for index in rows:
        hunk = hunk.with_row(index, hunk.rows[index][1] + rng.choice(BLANKS))
    return hunk if rows else None


def _dress(rng: random.Random, text: str, marks: str) -> str:
    head = indent_of(text)
    return head + "".join(
        _fancy(rng, char) if char in marks else char for char in text[len(head) :]
    )


def _fancy(rng: random.Random, char: str) -> str:
    if char in QUOTES:
        return rng.choice(QUOTES[char])
    return rng.choice(DASHES if char == "-" else SPACES)


def _typography(marks: str, *, in_file: bool) -> Change:
    def dress(rng: random.Random, hunk: Hunk) -> Hunk | None:
        """Quotes, dashes or blanks that only look the same."""
        rows = _some(rng, hunk, lambda text: any(mark in text.strip() for mark in marks))
        for index in rows:
            text = _dress(rng, hunk.rows[index][1].rstrip(), marks)
            if in_file:
                hunk = hunk.with_doc_line(hunk.line_of(index), text)
            else:
                hunk = hunk.with_row(index, text)
        return hunk if rows else None

    return dress


def _rewritten(hunk: Hunk, change: Callable[[str], str]) -> Hunk:
    rows = tuple((tag, text if is_blank(text) else change(text)) for tag, text in hunk.rows)
    return replace(hunk, rows=rows)


def dedented(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Quoted from further left, old and new alike."""
    shared = common_indent([text for _, text in hunk.rows])
    if not shared:
        return None
    cut = len(shared) if rng.random() < 0.7 else rng.randint(1, len(shared))
    return _rewritten(hunk, lambda text: text[cut:])


def to_margin(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Quoted from the very margin."""
    shared = common_indent([text for _, text in hunk.rows])
    return _rewritten(hunk, lambda text: text[len(shared) :]) if shared else None


def indented(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Quoted from further right, old and new alike."""
    tabbed = any(indent_of(text).startswith("\t") for _, text in hunk.rows)
    more = "\t" * rng.randint(1, 2) if tabbed else " " * rng.choice((1, 2, 3, 4, 4, 4, 8))
    return _rewritten(hunk, lambda text: more + text)


def _unit(hunk: Hunk) -> int:
    """How many blanks the file indents by."""
    depths = [len(indent_of(line)) for line in hunk.doc.lines if not is_blank(line)]
    steps = Counter(b - a for a, b in itertools.pairwise(depths) if b > a)
    unit = steps.most_common(1)[0][0] if steps else 4
    return unit if unit in (2, 3, 4, 8) else 4


def tabs_for_blanks(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The file is indented by blanks, the call by tabs."""
    indents = [indent_of(text) for _, text in hunk.rows if not is_blank(text)]
    width = _unit(hunk)
    if any("\t" in indent or len(indent) % width > 1 for indent in indents):
        return None

    def tabbed(text: str) -> str:
        tabs, rest = divmod(len(indent_of(text)), width)
        return "\t" * tabs + " " * rest + text.lstrip(" ")

    return _rewritten(hunk, tabbed)


def blanks_for_tabs(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The file is indented by tabs, the call by blanks."""
    width = rng.choice((2, 4, 4, 8))
    for _, text in hunk.rows:
        tail = indent_of(text).lstrip("\t")
        if "\t" in tail or len(tail) >= width:
            return None
    return _rewritten(
        hunk, lambda text: " " * width * (len(text) - len(text.lstrip("\t"))) + text.lstrip("\t")
    )


def _then(*changes: Change) -> Change:
    def both(rng: random.Random, hunk: Hunk) -> Hunk | None:
        """One noise on top of another."""
        found: Hunk | None = hunk
        for change in changes:
            found = found and change(rng, found)
        return found

    return both


def call_crlf(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The call ends its lines with CRLF, whatever the file does."""
    return crlf_call(hunk) if len(hunk.rows) > 1 else None


def wrong_numbers(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The hunk's numbers are nonsense."""
    a, b, c, d = (rng.randint(1, 2000) for _ in range(4))
    return replace(hunk, header=f"@@ -{a},{b} +{c},{d} @@")


def blank_context(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """A blank line of context comes as an empty line."""
    if not any(row == (" ", "") for row in hunk.rows[:-1]) or hunk.rows[-1] == (" ", ""):
        return None
    return replace(hunk, bare_blanks=True)


def _headings(hunk: Hunk) -> list[int]:
    words = ("def ", "class ", "function ", "fn ", "impl ", "struct ", "export ", "void ", "int ")
    seen = [fold(line) for line in hunk.doc.lines]
    return [
        i
        for i in range(hunk.first)
        if seen[i].startswith(words) and seen.count(seen[i]) == 1 and len(seen[i]) > 8
    ]


def heading(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The hunk names the function it is in, with or without numbers."""
    found = _headings(hunk)
    if not found:
        return None
    text = hunk.doc.lines[found[-1]].strip()
    numbers = f"@@ -{hunk.first + 1},{len(hunk.old)} +{hunk.first + 1},{len(hunk.new)} @@ "
    return replace(hunk, header=(numbers if rng.random() < 0.4 else "@@ ") + text)


def heading_decides(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The block stands twice, but only one of them comes behind the heading."""
    found = heading(rng, hunk)
    if found is None:
        return None
    named = hunk.doc.lines[_headings(hunk)[-1]].strip()
    doubled_above = found.with_inserted(rng.randint(0, _headings(hunk)[-1]), found.old)
    return replace(doubled_above, header=f"@@ {named}")


def doubled(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The block stands twice."""
    at = hunk.outside(rng)
    text = hunk.doc.lines[hunk.first : hunk.last]
    return hunk.with_inserted(at, text) if at >= 0 else None


def doubled_by_numbers(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The block stands twice and the hunk's number points at one of them."""
    found = doubled(rng, hunk)
    if found is None:
        return None
    line = found.first + 1
    return replace(found, header=f"@@ -{line},{len(found.old)} +{line},{len(found.new)} @@")


def _bare(change: Change) -> Change:
    def bare(rng: random.Random, hunk: Hunk) -> Hunk | None:
        """Without numbers that could be taken for evidence."""
        found = change(rng, hunk)
        return found and replace(found, header="@@")

    return bare


def _misquote(rng: random.Random, hunk: Hunk, change: Callable[[str], str]) -> Hunk | None:
    index = rng.choice(hunk.quotes())
    text = change(hunk.rows[index][1])
    if fold(text) == fold(hunk.rows[index][1]):
        return None
    return hunk.with_row(index, text)


def stale_word(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """One word of the quoted text is another one in the file."""

    def other(text: str) -> str:
        places = [i for i, char in enumerate(text) if char.isalnum()]
        if not places:
            return text + rng.choice((" x", ";", " {"))
        at = rng.choice(places)
        return text[:at] + rng.choice("qzx7") + text[at + rng.randint(0, 1) :]

    return _misquote(rng, hunk, other)


def wrong_case(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Letters in the wrong case."""
    return _misquote(rng, hunk, str.swapcase)


def inner_blanks(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Blanks within a line that the file does not have, or has and the call has not."""

    def respaced(text: str) -> str:
        head = indent_of(text)
        body = text[len(head) :]
        return head + (
            body.replace(" ", "  ", 1) if rng.random() < 0.5 else body.replace(" ", "", 1)
        )

    return _misquote(rng, hunk, respaced)


def line_left_out(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """A line in the middle of the quoted text was forgotten."""
    inner = [i for i in range(1, len(hunk.rows) - 1) if hunk.rows[i][0] != "+"]
    if not inner:
        return None
    at = rng.choice(inner)
    if is_blank(hunk.rows[at][1]) and "+" in (hunk.rows[at - 1][0], hunk.rows[at + 1][0]):
        return None  # the call then says where the new lines come, and it is another place
    return replace(hunk, rows=hunk.rows[:at] + hunk.rows[at + 1 :])


def line_too_many(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """A line in the middle of the quoted text that is not in the file, blank or not."""
    if len(hunk.rows) < 2:
        return None
    at = rng.randrange(1, len(hunk.rows))
    tag = "-" if hunk.rows[at - 1][0] == "+" else hunk.rows[at - 1][0]
    if hunk.rows[at - 1][0] == "+" and all(t == "+" for t, _ in hunk.rows[:at]):
        return None
    return replace(hunk, rows=(*hunk.rows[:at], (tag, rng.choice(("", "pass"))), *hunk.rows[at:]))


def blank_number(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Between two lines that stay the call has more or fewer blank lines than the file."""
    shown = [i for i, (_, text) in enumerate(hunk.rows) if not is_blank(text)]
    gaps = [
        (i, j)
        for i, j in itertools.pairwise(shown)
        if all(tag == " " for tag, _ in hunk.rows[i : j + 1])
    ]
    if not gaps or hunk.doc.style() == ANY:
        return None
    i, j = rng.choice(gaps)
    count = rng.choice([n for n in range(4) if n != j - i - 1])
    rows = (*hunk.rows[: i + 1], *((" ", "") for _ in range(count)), *hunk.rows[j:])
    return replace(hunk, rows=rows)


def returning(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The first line's indentation is left out, and that line comes back without it."""
    tag, text = hunk.rows[0]
    if tag != " " or not indent_of(text) or not any(char.isalnum() for char in text):
        return None
    row = (tag, text.lstrip(" \t"))
    return replace(hunk, rows=(("+", "fresh_line()"), row, *hunk.rows[1:]))


def elided(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Lines in the middle of the quoted text are stood for by dots."""
    quoting = [i for i, (tag, _) in enumerate(hunk.rows) if tag != "+"]
    if len(quoting) < 3:
        return None
    i = rng.randrange(1, len(quoting) - 1)
    j = rng.randrange(i, len(quoting) - 1)
    tags = {row[0] for row in hunk.rows[quoting[i] : quoting[j] + 1]}
    if len(tags) > 1:
        return None  # also where new lines come among them, which no call can say with dots
    mark = rng.choice(("...", "# ...", "// ...", "# ... existing code ...", "/* ... */", "\u2026"))
    text = indent_of(hunk.rows[quoting[i]][1]) + mark
    rows = [row for k, row in enumerate(hunk.rows) if k not in quoting[i + 1 : j + 1]]
    return replace(hunk, rows=tuple(rows)).with_row(quoting[i], text)


def uneven(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """One line is indented differently; no one shift explains all lines."""
    rows = hunk.quotes()
    if len(rows) < 2:
        return None
    at = rng.choice(rows[1:])
    return hunk.with_row(at, " " * rng.randint(1, 4) + hunk.rows[at][1])


def flattened(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """All indentation is gone although the lines differ in it."""
    if len({indent_of(hunk.rows[i][1]) for i in hunk.quotes()}) < 2:
        return None
    return _rewritten(hunk, str.lstrip)


def not_invertible(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The old text is too far right, and a new line is not that far right."""
    plus = [i for i, (tag, text) in enumerate(hunk.rows) if tag == "+" and not is_blank(text)]
    if not plus:
        return None
    found = indented(rng, hunk)
    at = rng.choice(plus)
    return found and found.with_row(at, hunk.rows[at][1].lstrip(" \t"))


def old_misindented(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Only the old text is shifted; the new text is as it has to be."""
    found = rng.choice((dedented, indented))(rng, hunk)
    return found and replace(hunk, only_old=tuple(found.old))


def numbered(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """Line numbers were pasted along."""
    shape = rng.choice(("{}: {}", "{}\t{}", "{:>4} | {}", "{:>6}\u2192{}", "{}|{}"))
    old, new, rows = hunk.first, hunk.first, []
    for tag, text in hunk.rows:
        old, new = old + (tag != "+"), new + (tag != "-")
        rows.append((tag, shape.format(old if tag != "+" else new, text)))
    return replace(hunk, rows=tuple(rows))


def rescaled(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The call is indented by two blanks where the file is by four, or the other way round."""
    halve = all(
        len(indent_of(text)) % 4 == 0 and "\t" not in indent_of(text) for _, text in hunk.rows
    )
    indents = [indent_of(text) for _, text in hunk.rows if not is_blank(text)]
    if any("\t" in indent or len(indent) % 2 for indent in indents):
        return None

    def scaled(text: str) -> str:
        size = len(indent_of(text))
        return " " * (size // 2 if halve else size * 2) + text.lstrip()

    return _rewritten(hunk, scaled)


def heading_missing(rng: random.Random, hunk: Hunk) -> Hunk | None:
    """The heading is not in the file; the block is, once."""
    return replace(hunk, header="@@ def nobody_ever_called_it_this(self):")


@dataclass(frozen=True, slots=True)
class Noise:
    """A noise by name: what must come of it, where it can be said, how often it is drawn."""

    name: str
    must: str
    change: Change
    dialects: tuple[str, ...] = DIALECTS
    literal: bool = False
    weight: int = 4


TEXTUAL = (EDIT_FILE, CODE)
PATCH = (APPLY_PATCH,)
NOISES = (
    Noise("clean", APPLY, clean, literal=True, weight=5),
    Noise("dollars", APPLY, dollars, literal=True, weight=3),
    Noise("substring", APPLY, substring, (EDIT_FILE,), literal=True, weight=6),
    Noise("lookalike", APPLY, lookalike, literal=True),
    Noise("call in crlf", APPLY, call_crlf, literal=True),
    Noise("trailing lost", APPLY, trailing_lost, weight=5),
    Noise("trailing added", APPLY, trailing_added, weight=5),
    Noise("quotes in file", APPLY, _typography("'\"", in_file=True), weight=3),
    Noise("quotes in call", APPLY, _typography("'\"", in_file=False), weight=3),
    Noise("dashes in file", APPLY, _typography("-", in_file=True), weight=2),
    Noise("dashes in call", APPLY, _typography("-", in_file=False), weight=2),
    Noise("hard blanks in file", APPLY, _typography(" ", in_file=True), weight=2),
    Noise("hard blanks in call", APPLY, _typography(" ", in_file=False), weight=2),
    Noise("dedented", APPLY, dedented, weight=8),
    Noise("indented", APPLY, indented, weight=6),
    Noise("tabs for blanks", APPLY, tabs_for_blanks, weight=5),
    Noise("blanks for tabs", APPLY, blanks_for_tabs, weight=8),
    Noise("trailing and quotes", APPLY, _then(trailing_lost, _typography("'\"", in_file=False))),
    Noise("dedented and trailing", APPLY, _then(dedented, trailing_added)),
    Noise("indented and quotes", APPLY, _then(_typography("'\"", in_file=False), indented)),
    Noise("wrong numbers", APPLY, wrong_numbers, PATCH, literal=True, weight=6),
    Noise("blank context", APPLY, blank_context, PATCH, literal=True, weight=6),
    Noise("heading", APPLY, heading, PATCH, literal=True, weight=5),
    Noise("heading decides", APPLY, heading_decides, PATCH, literal=True, weight=5),
    Noise("doubled", REFUSE, _bare(doubled), weight=5),
    Noise("doubled, trailing", REFUSE, _bare(_then(trailing_added, doubled))),
    Noise("doubled, quotes", REFUSE, _bare(_then(_typography("'\"-", in_file=False), doubled))),
    Noise("doubled, dedented", REFUSE, _bare(_then(dedented, doubled))),
    Noise("doubled, indented", REFUSE, _bare(_then(indented, doubled))),
    Noise("stale word", REFUSE, stale_word, weight=6),
    Noise("wrong case", REFUSE, wrong_case, weight=2),
    Noise("inner blanks", REFUSE, inner_blanks),
    Noise("line left out", REFUSE, line_left_out),
    Noise("line too many", REFUSE, line_too_many),
    Noise("elided", REFUSE, elided, weight=5),
    Noise("blank lines differ", APPLY, blank_number, (EDIT_FILE,), weight=6),
    Noise("hanging line returns", REFUSE, returning, (EDIT_FILE,), weight=4),
    Noise("uneven indent", REFUSE, uneven),
    Noise("flattened", REFUSE, flattened),
    Noise("not invertible", REFUSE, not_invertible),
    Noise("only old misindented", EITHER, old_misindented, TEXTUAL, weight=3),
    Noise("line numbers pasted", EITHER, numbered, weight=3),
    Noise("rescaled indent", EITHER, rescaled, weight=3),
    Noise("dedented and tabs", EITHER, _then(to_margin, tabs_for_blanks), weight=2),
    Noise("heading missing", EITHER, heading_missing, PATCH, weight=2),
    Noise("number points at a double", EITHER, doubled_by_numbers, PATCH, weight=3),
)
