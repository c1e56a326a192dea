"""Search and replace by syntax over files: planned, checked, all of it or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from redline.code.index.facts import MAX_FILE_BYTES
from redline.code.structural import StructuralMatch
from redline.code.syntax.languages import BY_NAME, Language, language_of
from redline.core import errors
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.search import Cancel
from redline.core.ports.tree import Kind
from redline.core.records import dataclass
from redline.core.textfile import dominant_end
from redline.core.wording import naming
from redline.services.names import display_name
from redline.services.runtime import Runtime

MAX_FILES = 20_000
_MAX_NAMED = 20
_COVER_IT = "nothing was changed; write the pattern so that it covers the rest, with $$$REST for it"
_VARIABLE = re.compile(r"\$(?:\$\$|\$)?([A-Z_0-9]+)")


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """What to look for, in which files, and what replaces it; without `fix` only to look.

    `rule` holds further parts of an ast-grep rule (kind, inside, has, not, any, ...), `where`
    constraints of single metavariables.
    """

    pattern: str = ""
    fix: str | None = None
    language: str = ""
    globs: Sequence[str] = ()
    rule: Mapping[str, Any] | None = None
    where: Mapping[str, Any] | None = None

    @property
    def whole_rule(self) -> dict[str, Any]:
        """The rule as ast-grep takes it."""
        rule = {**(self.rule or {}), **({"pattern": self.pattern} if self.pattern else {})}
        if not rule:
            raise errors.InvalidArgument("Give a pattern or a rule", field="pattern")
        whole: dict[str, Any] = {"rule": rule}
        for name, constraint in (self.where or {}).items():
            if not isinstance(constraint, Mapping):
                raise errors.InvalidArgument(
                    f"A constraint is a rule, not {json.dumps(constraint)}: {name}",
                    field="where",
                    hint=f'for example {{"{name}": {{"regex": "^x"}}}}',
                )
        if self.where:
            whole["constraints"] = dict(self.where)
        return whole


@dataclass(frozen=True, slots=True)
class StructuralFinding:
    """One place that matches."""

    path: WorkspacePath
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The change (empty for a search), the places it replaces, and what was left alone."""

    change_set: ChangeSet
    found: tuple[StructuralFinding, ...]
    notes: tuple[str, ...] = ()


def plan_rewrite(
    runtime: Runtime, top: WorkspacePath, request: RewriteRequest, access: Access, cancel: Cancel
) -> Rewritten:
    """Plan a rewrite of every file beneath *top*; NoMatch if there is nothing to replace.

    A place that holds more than the pattern is left alone, and a note names it. CannotApply if a
    file that parses would not afterwards; InvalidPattern for a malformed rule.
    """
    language = _language(runtime, top, request.language)
    rule = request.whole_rule
    _check_variables(rule, request.fix)
    steps: list[Change] = []
    found: list[StructuralFinding] = []
    left: list[str] = []
    notes: list[str] = []
    for path in _candidates(runtime, top, language, request.globs, cancel):
        cancel.check()
        name = display_name(runtime.workspace, path)
        try:
            change, places, more = _rewrite_file(
                runtime, path, name, language, rule, request.fix, access
            )
        except (errors.ParserFailed, errors.Busy) as error:
            notes.append(f"left out, as the parser failed: {name} ({error.message})")
            continue
        found += places
        left += more
        steps += [change] if change is not None else []
    if not found and left:
        raise errors.NoMatch(_say_left(left), hint=_COVER_IT)
    if not found:
        _refuse_incomplete(runtime, rule["rule"].get("pattern"), language)
    if request.fix is not None and not found:
        raise errors.NoMatch(
            "Nothing matches the pattern",
            hint=naming(
                "leave {rewrite} out and try a smaller pattern; {search} finds the text itself"
            ),
        )
    notes += [f"left alone, {_say_left(left)}"] if left else []
    return Rewritten(ChangeSet(tuple(steps)), tuple(found), tuple(notes))


def _say_left(left: Sequence[str]) -> str:
    """Return the sentence that names places with more than the pattern."""
    places = "1 place holds" if len(left) == 1 else f"{len(left)} places hold"
    more = f" and {len(left) - _MAX_NAMED} more" if len(left) > _MAX_NAMED else ""
    return f"{places} more than the pattern: {', '.join(left[:_MAX_NAMED])}{more}"


def _refuse_incomplete(runtime: Runtime, pattern: Any, language: Language) -> None:
    """Refuse a pattern that matches nothing because it is only a part of some code."""
    if not isinstance(pattern, str):
        return
    issue = runtime.analysis.incomplete(pattern, language)
    if issue is not None:
        raise errors.InvalidPattern(
            f"Nothing matches, as the pattern alone is not code of {language.name}: {issue.text}",
            hint="write the whole of it, with $$$BODY for what a block or a call holds",
        )


def _rewrite_file(
    runtime: Runtime,
    path: WorkspacePath,
    name: str,
    language: Language,
    rule: Mapping[str, Any],
    fix: str | None,
    access: Access,
) -> tuple[Change | None, list[StructuralFinding], list[str]]:
    """Return the change of a file, the places found, and those that hold more than the pattern."""
    before = runtime.tree.state(path)
    if not isinstance(before, FileState) or before.content is None:
        return None, [], []
    if len(before.content) > MAX_FILE_BYTES:
        raise errors.ParserFailed(f"larger than {MAX_FILE_BYTES} bytes")
    file = open_file(runtime.tree, path, before.content)
    if file.is_binary:
        return None, [], []
    text = file.text
    if fix is not None and dominant_end(text) == "\r\n":
        fix = fix.replace("\r\n", "\n").replace("\n", "\r\n")
    matches = runtime.analysis.structural(text, language, rule, fix)
    left = [f"{name}:{each.line} `{each.surplus}`" for each in matches if each.surplus]
    matches = [each for each in matches if not each.surplus]
    found = [StructuralFinding(path, each.line, text[each.start : each.end]) for each in matches]
    if fix is None or not matches:
        return None, found, left
    after = _replace(text, matches)
    _refuse_broken(runtime, name, text, after, language)
    # A glob or a directory may lead to a root that is read-only.
    place = runtime.workspace.resolve(runtime.workspace.absolute(path), access, must_exist=True)
    content = file.with_text(after)
    if content == before.content:
        return None, found, left
    return Change(place, before, FileState.of(content, before.mode)), found, left


def _replace(text: str, matches: Sequence[StructuralMatch]) -> str:
    parts: list[str] = []
    end = 0
    for match in matches:
        parts += [text[end : match.start], match.replacement or ""]
        end = match.end
    return "".join((*parts, text[end:]))


def _refuse_broken(runtime: Runtime, name: str, old: str, new: str, language: Language) -> None:
    issues = runtime.analysis.introduced_issues(old, new, language)
    if issues:
        raise errors.CannotApply(
            f"{name} would no longer parse: {issues[0].text}",
            hint=naming(
                "nothing was changed; mend {rewrite}, or leave the file out with {globs: !NAME}"
            ),
            details={"file": name, "line": issues[0].line},
        )


def _language(runtime: Runtime, top: WorkspacePath, wanted: str) -> Language:
    """Return the language that is named, else that of the one file."""
    if wanted:
        if wanted.lower() not in BY_NAME:
            near = get_close_matches(wanted.lower(), BY_NAME, 1)
            raise errors.InvalidArgument(
                f"Not a language that is parsed: {wanted}",
                field="language",
                hint=f'pass {{"language": "{near[0]}"}}'
                if near
                else f"one of {', '.join(sorted(BY_NAME))}",
            )
        return BY_NAME[wanted.lower()]
    entry = runtime.tree.stat(top)
    known = language_of(top.name) if entry is not None and entry.kind is Kind.FILE else None
    if known is None:
        raise errors.InvalidArgument(
            naming("{language} is needed"),
            field="language",
            hint=f"one of {', '.join(sorted(BY_NAME))}",
        )
    return known


def _candidates(
    runtime: Runtime, top: WorkspacePath, language: Language, globs: Sequence[str], cancel: Cancel
) -> Iterator[WorkspacePath]:
    """Yield the files of the language, in order, as ripgrep walks them."""
    entry = runtime.tree.stat(top)
    if entry is not None and entry.kind is Kind.FILE:
        yield top
        return
    files = sorted(
        path
        for path in runtime.grep.files(top, globs, hidden=False, ignored=False)
        if (known := language_of(path.name)) is not None and known.name == language.name
    )
    cancel.check()
    if len(files) > MAX_FILES:
        raise errors.InvalidArgument(
            f"There are {len(files)} files of {language.name}, more than {MAX_FILES}",
            field="globs",
            hint=naming("narrow it with {path} or {globs}"),
        )
    yield from files


def _check_variables(rule: Mapping[str, Any], fix: str | None) -> None:
    """Refuse a replacement with a metavariable that nothing matches."""
    defined = {name for text in _patterns(rule) for name in _VARIABLE.findall(text)}
    for name in _VARIABLE.findall(fix or ""):
        if name not in defined:
            raise errors.InvalidPattern(
                naming(
                    "{rewrite} uses a metavariable that the pattern does not have: ", f"${name}"
                ),
                hint=f"it has {', '.join(f'${each}' for each in sorted(defined)) or 'none'}",
            )


def _patterns(part: Any) -> Iterator[str]:
    """Yield every pattern of a rule."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key in ("pattern", "context") and isinstance(value, str):
                yield value
            else:
                yield from _patterns(value)
    elif isinstance(part, list):
        for item in part:
            yield from _patterns(item)
