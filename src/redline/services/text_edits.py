"""Edits of text files by quotation, checked against the syntax of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from redline.code.syntax.languages import language_of
from redline.core.error_families.wording import naming
from redline.core.errors import Cancelled, LimitReached, MatchError, TooLarge, UnclearIndentation
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Regex
from redline.core.ports.tree import Tree
from redline.core.textfile import TextFile, encode
from redline.documents.formats import named_format
from redline.plan.match.hanging import Repair
from redline.plan.replace import Replaced, TextEdit, find_repairs, plan_replace, replace_all

# Only for the type checker: most edits parse nothing.
if TYPE_CHECKING:
    from redline.code.analysis import Analysis
    from redline.core.ports.confined import Confined

# Files beyond this many bytes are not parsed: the edit would wait for it.
MAX_PARSED_BYTES = 1 << 20
# Indentations that are tried before a broken file is taken for what was meant.
_MAX_REPAIRS = 6


class Ports(Protocol):
    """What text edits use of a runtime; the last two only where something is parsed."""

    @property
    def tree(self) -> Tree: ...
    @property
    def regex(self) -> Regex: ...
    @property
    def confined(self) -> Confined: ...
    @property
    def analysis(self) -> Analysis: ...


def plan_text_edits(
    ports: Ports,
    path: WorkspacePath,
    shown: str,
    edits: Sequence[TextEdit],
    encoding: str | None = None,
) -> Replaced:
    """Plan *edits* as `plan_replace` does, with a note if the file parsed and no longer does.

    UnclearIndentation where one shift of the new text would keep the file parsing.
    """
    planned = plan_replace(ports.tree, path, shown, edits, ports.regex, encoding)
    longest = max(len(planned.before), len(planned.after))
    if not planned.change_set.steps or longest > MAX_PARSED_BYTES or not _has_parser(path.name):
        return planned
    before, after = (
        TextFile(raw, planned.encoding).text for raw in (planned.before, planned.after)
    )
    error = find_broken_syntax(ports, path.name, before, after)
    if error is None:
        return planned
    refuse_if_shift_parses(ports, path.name, before, edits)
    note = f"the file parsed before this edit and no longer does: {error}"
    return replace(planned, notes=(*planned.notes, note))


def replace_text(ports: Ports, name: str, text: str, edits: Sequence[TextEdit]) -> str:
    """Return *text*, the content of a file called *name*, after *edits*.

    UnclearIndentation as `plan_text_edits` raises it; nothing is parsed for edits without another
    indentation to try.
    """
    after = replace_all(text, edits, ports.regex)
    if len(after) > MAX_PARSED_BYTES or not any(find_repairs(text, edits, ports.regex)):
        return after
    if find_broken_syntax(ports, name, text, after):
        refuse_if_shift_parses(ports, name, text, edits)
    return after


def find_broken_syntax(ports: Ports, name: str, before: str, after: str) -> str | None:
    """Return the first syntax error of *after* if *before* parses; None if that is unknown."""
    language = language_of(name)
    if language is not None:
        from redline.code.index.facts import is_minified
        from redline.code.syntax.word_changes import changes_words_only

        if is_minified(after) or changes_words_only(before, after, language):
            return None
    try:
        error = _find_error(ports, name, after)
        return error if error and not _find_error(ports, name, before) else None
    except Cancelled:
        raise
    except (LimitReached, TooLarge):
        return None


def _has_parser(name: str) -> bool:
    return language_of(name) is not None or named_format(name) is not None


def _find_error(ports: Ports, name: str, text: str) -> str | None:
    """Return the first syntax error of a file's text, found in a worker process.

    None for text that parses, and for what no parser is known for.
    """
    form, language = named_format(name), language_of(name)
    if form is not None:
        from redline.documents.isolated import find_syntax_error

        return find_syntax_error(ports.confined, encode(text), form)
    issue = ports.analysis.first_issue(text, language) if language else None
    return issue.text if issue else None


def refuse_if_shift_parses(ports: Ports, name: str, before: str, edits: Sequence[TextEdit]) -> None:
    """Refuse *edits*, which break the file, if one of them indented otherwise would not."""
    for number, repaired in islice(find_repairs(before, edits, ports.regex), _MAX_REPAIRS):
        if _parses(ports, name, before, repaired):
            call = Repair(repaired[number].old, repaired[number].new)
            raise UnclearIndentation(
                naming(
                    "The file parses now and would not after this edit to the letter; it would with"
                    " {newText} at another indentation"
                ),
                hint=call.hint,
                details={"edit": number, **call.details},
            )


def _parses(ports: Ports, name: str, before: str, edits: Sequence[TextEdit]) -> bool:
    """Return whether the file parses after *edits*; False where they do not fit."""
    try:
        return _find_error(ports, name, replace_all(before, edits, ports.regex)) is None
    except Cancelled:
        raise
    except (MatchError, LimitReached, TooLarge):
        return False
