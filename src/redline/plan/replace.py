"""A list of find-and-replace edits carried out on one text, in order, all or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from redline.core.budget import check_count, check_lines, join_text
from redline.core.call_scope import cancellable, checkpoint
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import (
    AlreadyApplied,
    BinaryFile,
    InvalidArgument,
    InvalidPattern,
    IsADirectory,
    MatchError,
    NoMatch,
    NotARegularFile,
    NotFound,
    RedlineError,
    UnclearIndentation,
)
from redline.core.late_regex import late_regex
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree
from redline.core.records import dataclass, field, replace
from redline.core.splice import Splice
from redline.core.text_limits import shorten
from redline.core.textfile import TextFile, dominant_end, unify_ends
from redline.core.wording import join_texts, naming
from redline.plan.match.after_indentation import Repair, repairs_of, unclear
from redline.plan.match.already_made import is_certain
from redline.plan.match.engine import MatchLevel, Placement, ambiguous, apply_placements, place
from redline.plan.match.nearest import nearest
from redline.plan.match.normalized import TextView
from redline.plan.splices import apply_all_splices, splices_of

if TYPE_CHECKING:
    from redline.core.ports.search import Regex, RegexMatch

_MARK = "\ufeff"
# From here on it pays not to hold the new text beside the new bytes.
_LARGE = 1 << 16
_MAX_QUOTED = 80


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `old` by `new`: once and only where it is unique, or the first `limit` (0 = all).

    With `strict` every occurrence counts, also inside of a line. `number` is its place in a call of
    several files.
    """

    old: str
    new: str = ""
    limit: int = 1
    is_regex: bool = False
    ignore_case: bool = False
    strict: bool = False
    number: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Replaced:
    """One file's plan: its bytes before and after, and the change that makes it so."""

    before: bytes
    after: bytes
    change_set: ChangeSet
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()


def plan_replace(
    tree: Tree,
    path: WorkspacePath,
    shown: str,
    edits: Sequence[TextEdit],
    regex: Regex,
    encoding: str | None = None,
) -> Replaced:
    """Every edit in order, each on the outcome of the one before; the first failure is raised.

    Of several edits, those that are in place already are skipped and named in the notes.
    *encoding* is that of the file, where the caller names it.
    """
    state, file = read_text(tree, path, shown, encoding)
    is_large = len(file.raw) > _LARGE and not file.is_foreign
    content = _splice_large(file, edits) if is_large else None
    notes: list[str] = []
    if content is None:
        content = file.with_text(replace_all(file.text, edits, regex, notes))
    change = Change(path, state, FileState.of(content, state.mode))
    steps = (change,) if content != file.raw else ()
    return Replaced(file.raw, content, ChangeSet(steps), file.encoding, tuple(notes))


def read_text(
    tree: Tree, path: WorkspacePath, shown: str, encoding: str | None
) -> tuple[FileState, TextFile]:
    """Return the state and the text of the file at *path*; what is no file of text is refused."""
    state = tree.state(path)
    if not isinstance(state, FileState) or state.content is None:
        entry = tree.stat(path)
        if entry is None:
            raise NotFound(shown)
        raise IsADirectory(shown) if entry.kind.value == "directory" else NotARegularFile(shown)
    file = open_file(tree, path, state.content, encoding, shown)
    if file.is_binary:
        hint = naming("{edit_file} changes text; {write_file} replaces whole files")
        raise BinaryFile(shown, hint=hint)
    return state, file


def _splice_large(file: TextFile, edits: Sequence[TextEdit]) -> bytes | None:
    """A large file after one plain edit, without the new text as a whole; None for other edits.

    The same bytes as the longer way gives.
    """
    if len(edits) != 1 or edits[0].is_regex:
        return None
    return apply_all_splices(file, _splices(file, file.text, edits[0]))


def _splices(file: TextFile, text: str, edit: TextEdit) -> list[Splice]:
    """What *edit* does to the bytes; *text* lives no longer than it takes to find that out."""
    try:
        return splices_of(file, text, _placements(text, edit))
    except RedlineError as error:
        error.details.setdefault("edit", 0)
        raise


def replace_all(
    text: str, edits: Sequence[TextEdit], regex: Regex, notes: list[str] | None = None
) -> str:
    """*text* after every edit; an error carries the number of its edit in details["edit"].

    Of several edits, one that is in place before any of them is skipped, which *notes* then say.
    Edits whose indentation is unclear are refused together, each with the edit that works.
    """
    course = _Course(text, edits, regex)
    for number, edit in enumerate(edits):
        checkpoint()
        try:
            text = replace_one(text, edit, regex)
        except RedlineError as error:
            text = course.go_on(text, number, error)
    if course.doubts:
        raise _join_doubts(course.doubts)
    if course.skipped:
        _refuse_touched(course.given, text, edits, course.skipped)
    if notes is not None:
        notes += course.notes
    return text


@dataclass(slots=True)
class _Course:
    """Edits under way: the text as it was given, and those that did not go as they were sent."""

    given: str
    edits: Sequence[TextEdit]
    regex: Regex
    # The lines that show that an edit was made before, and why another was unclear, by number.
    skipped: dict[int, str] = field(default_factory=dict)
    doubts: dict[int, UnclearIndentation] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def go_on(self, text: str, number: int, error: RedlineError) -> str:
        """Return *text* after what works instead of an edit that failed; raise if nothing does."""
        edit = self.edits[number]
        if isinstance(error, UnclearIndentation) and error.repairs:
            old, new = error.repairs[0]
            try:
                after = replace_one(text, replace(edit, old=old, new=new), self.regex)
            except RedlineError as failed:
                error = failed
            else:
                error.details["edit"] = number
                self.doubts[number] = error
                return after
        error.details["edit"] = number
        label = _label(self.edits, number)
        # The last edit cannot be skipped when all before it were: nothing would be left.
        is_last = len(self.skipped) == len(self.edits) - 1
        if is_last or not _is_in_place(self.given, self.edits, number, error):
            raise (_join_doubts(self.doubts, label, error) if self.doubts else error) from None
        line = error.details["line"]
        self.skipped[number] = _lines_that_show(text, edit, line)
        self.notes.append(f"{label} is already in place at line {line} and was skipped")
        return text


def _join_doubts(
    doubts: Mapping[int, UnclearIndentation], label: str = "", failed: RedlineError | None = None
) -> RedlineError:
    """Return the refusal of all unclear edits; *failed* is what the edit *label* after them met."""
    number, first = next(iter(doubts.items()))
    repairs = {number: error.repairs[0] for number, error in doubts.items()}
    joined = unclear(first.message_text, repairs, first.details.get("line"))
    joined.details["edit"] = number
    if failed is not None:
        fails = f"; {label} fails as well: "
        joined.hint = join_texts(joined.hint_text or "", fails, failed.message_text)
    return joined


def _is_in_place(given: str, edits: Sequence[TextEdit], number: int, error: RedlineError) -> bool:
    """Return whether an edit that failed as done was done in the text as *given*, or is sent twice.

    What another edit of the same call wrote is no evidence for one that quotes other text; nor are
    blanks and blank lines around the old text for one that adds just these.
    """
    edit = edits[number]
    if not isinstance(error, AlreadyApplied) or edit in edits[:number]:
        return isinstance(error, AlreadyApplied)
    if edit.old.split() == edit.new.split() and unify_ends(edit.old) in unify_ends(given):
        return False
    try:
        _placements(given, edit)
    except AlreadyApplied:
        return is_certain(given, edit.old, edit.new)
    except MatchError:
        return False
    return False


def _label(edits: Sequence[TextEdit], number: int) -> str:
    """What an edit is called in the whole call, of which *edits* may be those of one file."""
    named = edits[number].number
    return f"edits[{number if named is None else named}]"


def _first_line(text: str) -> str:
    return shorten(text.strip().partition("\n")[0], _MAX_QUOTED)


def _lines_that_show(text: str, edit: TextEdit, line: int) -> str:
    """Return the lines of *text*, from *line* on, that show that *edit* was made before."""
    count = len(unify_ends(edit.new).rstrip("\n").split("\n"))
    return "\n".join(unify_ends(text).split("\n")[line - 1 : line - 1 + count])


def _refuse_touched(
    given: str, text: str, edits: Sequence[TextEdit], skipped: Mapping[int, str]
) -> None:
    """Refuse where another edit changed the lines that show that one was made before."""
    for number, shown in skipped.items():
        if edits[number] in edits[:number] or all(
            f"\n{shown}\n" in f"\n{unify_ends(each)}\n" for each in (given, text)
        ):
            continue
        raise MatchError(
            f"The edit of `{_first_line(edits[number].old)}` looks as if it was made before, but"
            " another edit of this call changes the lines that show it; nothing was changed",
            hint="send the two as one edit that quotes all the lines they change",
            details={"edit": number},
        )


def find_repairs(text: str, edits: Sequence[TextEdit], regex: Regex) -> Iterator[dict[int, Repair]]:
    """Yield edits indented otherwise, by their numbers: each alone, and then all of them together.

    Only an edit that fits to the letter has such repairs.
    """
    first: dict[int, Repair] = {}
    for number, edit in enumerate(edits):
        if edit.limit == 1 and not edit.is_regex and not edit.ignore_case:
            for repair in _repairs_of(text, edit):
                first.setdefault(number, repair)
                yield {number: repair}
        try:
            text = replace_one(text, edit, regex)
        except AlreadyApplied:
            continue
    if len(first) > 1:
        yield first


def with_repairs(
    edits: Sequence[TextEdit], repairs: Mapping[int, tuple[str, str]]
) -> list[TextEdit]:
    """Return the edits with *repairs* in the place of those with the same number."""
    fixed = list(edits)
    for number, (old, new) in repairs.items():
        fixed[number] = replace(edits[number], old=old, new=new)
    return fixed


def _repairs_of(text: str, edit: TextEdit) -> Iterator[Repair]:
    old, new = edit.old.removeprefix(_MARK), edit.new.removeprefix(_MARK)
    try:
        placement = place(text, old, new, strict=edit.strict)
    except MatchError:
        return
    if placement.level is MatchLevel.LITERAL:
        yield from repairs_of(text, placement, old, new)


def replace_one(text: str, edit: TextEdit, regex: Regex) -> str:
    """*text* after one edit."""
    if edit.is_regex:
        _check(edit)
        limit = max(edit.limit, 0)
        return replace_regex(
            text, edit.old, edit.new, regex, limit=limit, ignore_case=edit.ignore_case
        )
    return apply_placements(text, _placements(text, edit))


def _placements(text: str, edit: TextEdit) -> list[Placement]:
    """Return where a plain edit goes, in order."""
    _check(edit)
    check_lines(text)
    limit = max(edit.limit, 0)
    old, new = edit.old.removeprefix(_MARK), edit.new.removeprefix(_MARK)
    if limit == 1 and not edit.ignore_case and old:
        return [place(text, old, new, strict=edit.strict)]
    view = TextView(text, str)
    if not edit.ignore_case:  # counted before anything is made of each
        check_count(view.text.count(unify_ends(edit.old)))
    placements = list(_occurrences(text, view, unify_ends(edit.old), edit.new, edit.ignore_case))
    if not placements:
        raise nearest(text, edit.old)
    if limit == 1 and len(placements) > 1:
        raise ambiguous(text, [placement.line for placement in placements], edit.old)
    return placements[:limit] if limit else placements


def _check(edit: TextEdit) -> None:
    if not edit.old:
        raise MatchError("The text to find must not be empty", hint="quote the text to change")
    try:
        edit.new.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument("The new text holds a lone surrogate, which no file can") from None


def _occurrences(
    text: str, view: TextView, old: str, new: str, ignore_case: bool
) -> Iterator[Placement]:
    """Occurrences from the left that do not overlap, line ends counting as the same."""
    wanted = re.compile(re.escape(old), re.IGNORECASE if ignore_case else 0)
    end = dominant_end(text) or "\n"
    replacement = unify_ends(new).replace("\n", end)
    line, counted = 1, 0
    for count, found in enumerate(cancellable(wanted.finditer(view.text))):
        check_count(count)
        start, stop = view.raw_offset(found.start()), view.raw_offset(found.end())
        line, counted = line + text.count("\n", counted, start), start
        yield Placement(start, stop, replacement, MatchLevel.LITERAL, line)


# \0-\9, $0-$9 and $& name what was matched, $$ is a dollar; \n \t \r \\ are what they look like.
# Any other backslash or dollar means itself.
_REFERENCE = late_regex(r"\\([0-9ntr\\])|\$([0-9&$])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_WRITTEN_CR = late_regex(r"\\r|\\x0[dD]|\\u000[dD]|\\u\{0*[dD]\}|\\cM|\r")
_SKIPPED = late_regex(r"\\.|\[(?:\\.|[^\]\\])*\]|\((\?(?!<[^=!]))?", re.DOTALL)


def count_groups(pattern: str) -> int:
    """Return how many capture groups a well-formed ECMAScript pattern has."""
    return sum(
        found[0].startswith("(") and found[1] is None for found in _SKIPPED.finditer(pattern)
    )


def parse_template(template: str, groups: int) -> list[str | int]:
    """Return the template as text and group numbers; a group the pattern lacks is an error."""
    parts: list[str | int] = []
    position = 0
    for found in _REFERENCE.finditer(template):
        parts.append(template[position : found.start()])
        parts.append(_meaning(found[1] or found[2]))
        position = found.end()
    parts.append(template[position:])
    highest = max((part for part in parts if isinstance(part, int)), default=0)
    if highest > groups:
        raise InvalidPattern(
            f"The replacement names capture group {highest}, the pattern has {groups}",
            hint="put parentheses around what to reuse; \\0 or $& is the whole match",
        )
    return parts


def _meaning(mark: str) -> str | int:
    if mark == "&":
        return 0
    if mark == "$":
        return "$"
    return int(mark) if mark.isdigit() else _ESCAPES[mark]


def replace_regex(
    text: str, pattern: str, template: str, regex: Regex, *, limit: int, ignore_case: bool
) -> str:
    """*text* with the first *limit* matches (0 = all) replaced; NoMatch when there is none.

    Unless the pattern speaks of carriage returns, CRLF is one line end to it.
    """
    flags = "mi" if ignore_case else "m"
    groups = count_groups(pattern)
    parts = parse_template(template, groups)
    view = None
    if "\r\n" in text and not _WRITTEN_CR.search(pattern):
        view = TextView(text, str)
    seen = text if view is None else view.text
    # One more than asked for, because a match after the final newline does not count.
    found = regex.find(pattern, seen, flags=flags, limit=limit and limit + 1, groups=groups)
    matches = [m for m in found if not _behind_the_end(m, seen)]
    if limit:
        matches = matches[:limit]
    if not matches:
        raise NoMatch(
            f"The pattern matches nothing in the file: {pattern[:200]}",
            hint=naming(
                "^ and $ match at line ends, . does not cross them; try it with {grep_files}"
            ),
        )
    end = dominant_end(text) or "\n"
    check_count(len(matches))
    return join_text(_splice(text, matches, parts, view, end))


def _behind_the_end(match: RegexMatch, text: str) -> bool:
    """Return whether this is the empty line that a final newline seems to open."""
    return match.start == match.end == len(text) and text.endswith("\n")


def _splice(
    text: str, matches: list[RegexMatch], parts: list[str | int], view: TextView | None, end: str
) -> Iterator[str]:
    def raw(offset: int) -> int:
        return offset if view is None else view.raw_offset(offset)

    position = 0
    for match in cancellable(matches):
        yield text[position : raw(match.start)]
        spans = ((match.start, match.end), *match.groups)
        for part in parts:
            if isinstance(part, str):
                yield unify_ends(part).replace("\n", end)
            elif (span := spans[part]) is not None:
                yield text[raw(span[0]) : raw(span[1])]
        position = raw(match.end)
    yield text[position:]
