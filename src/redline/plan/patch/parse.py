"""The text of a patch, in whichever form it was sent, as operations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import partial
from json import JSONDecodeError, loads
from typing import Any, NamedTuple

from redline.core.errors import PatchError
from redline.core.records import replace
from redline.plan.patch.envelope import BEGIN, envelope_readings, is_envelope, read_envelope
from redline.plan.patch.model import PatchOperation, PatchReading, UpdateFile
from redline.plan.patch.unified import is_unified, read_unified

_MAX_DEPTH = 5
_COMMAND = r"(?:apply[_-]?patch|cat)"
_SHELL = r"(?:(?:/\w+)*/)?(?:bash|sh|zsh) +-l?c +"
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*")
_HEREDOC = re.compile(
    rf"(?:{_SHELL}(?P<around>['\"]))?"
    r"(?:cd +(?P<folder>[\w./@+-]+) *&& *)?"
    rf"(?:{_COMMAND} *)?<<(?P<tabs>-?) *(?P<quote>['\"]?)(?P<tag>[^\s'\"|&;<>()$`\\]+)(?P=quote)"
    r"(?: *\| *apply[_-]?patch)? *"
)
_ARGUMENT = re.compile(r"apply[_-]?patch +(?P<around>['\"])(?P<rest>.*)")
# What the shell changes within double quotes, single quotes, and an unquoted heredoc.
_CHANGED = {'"': '"\\$`', "'": "'", "": "\\$`"}
_ALONE = "send the patch alone, from *** Begin Patch to *** End Patch"
_JSON_KEYS = ("patch", "input", "command", "cmd", "patch_text", "patchText")
_SHELLS = (("bash", "-lc"), ("bash", "-c"), ("sh", "-c"), ("sh", "-lc"), ("zsh", "-lc"))


class PatchText(NamedTuple):
    """The lines of a patch, the number of the first, and the directory its paths count from."""

    lines: list[str]
    first: int
    folder: str = ""


def unwrap(text: str) -> PatchText:
    """Take off what is around a patch."""
    found = _trim(PatchText(_split(text), 1))
    for _ in range(_MAX_DEPTH):
        inner = _inside(found)
        if inner is None:
            return _dedent(found)
        found = _trim(inner)
    return found


def _split(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _trim(found: PatchText) -> PatchText:
    """Leave out blank lines before and after, and a byte order mark.

    A last line of blanks may be context.
    """
    lines = found.lines
    first, stop = 0, len(lines)
    while first < stop and not lines[first].strip("\ufeff \t\r"):
        first += 1
    while stop > first and not lines[stop - 1]:
        stop -= 1
    kept = lines[first:stop]
    if kept:
        kept[0] = kept[0].removeprefix("\ufeff")
    return found._replace(lines=kept, first=found.first + first)


def _inside(found: PatchText) -> PatchText | None:
    """Return what the outermost wrapping holds; None if there is none."""
    if not found.lines:
        return None
    head = found.lines[0].strip()
    if fence := _FENCE.fullmatch(head):
        return _inside_fence(found, fence[1])
    if heredoc := _HEREDOC.fullmatch(head):
        return _inside_heredoc(found, heredoc)
    if argument := _ARGUMENT.fullmatch(head):
        return _inside_quotes(found, argument)
    if head in ("apply_patch", "applypatch", "apply-patch"):
        return found._replace(lines=found.lines[1:], first=found.first + 1)
    if head.startswith(("{", "[")):
        return _inside_json(found)
    return None


def _inside_fence(found: PatchText, fence: str) -> PatchText:
    last = found.lines[-1].strip()
    if len(found.lines) < 2 or not last.startswith(fence) or last.strip(fence[0]):
        raise PatchError("The code fence around the patch is not closed", hint=_ALONE)
    return found._replace(lines=found.lines[1:-1], first=found.first + 1)


def _inside_heredoc(found: PatchText, opening: re.Match[str]) -> PatchText:
    around, tag = opening["around"] or "", opening["tag"]
    lines = found.lines[1:]
    if around and lines and lines[-1].strip() == around:
        lines = lines[:-1]
    elif around and lines:
        if not lines[-1].endswith(around):
            raise PatchError("The shell command around the patch is not closed", hint=_ALONE)
        lines[-1] = lines[-1].removesuffix(around)
    if opening["tabs"]:
        lines = [line.lstrip("\t") for line in lines]
    if not lines or lines[-1].strip() != tag:
        raise PatchError(f"The heredoc around the patch does not end with {tag}", hint=_ALONE)
    body = lines[:-1]
    # The quotes around the tag are the shell's own where the whole command is in the same ones.
    quoted = opening["quote"] if opening["quote"] != around else ""
    _refuse_shell_changes(body, around, _CHANGED[around] if around else "")
    _refuse_shell_changes(body, tag, "" if quoted else _CHANGED[""])
    return PatchText(body, found.first + 1, opening["folder"] or found.folder)


def _inside_quotes(found: PatchText, opening: re.Match[str]) -> PatchText:
    around = opening["around"]
    lines = [opening["rest"], *found.lines[1:]]
    if not lines[-1].rstrip().endswith(around):
        raise PatchError("The quotes around the patch are not closed", hint=_ALONE)
    lines[-1] = lines[-1].rstrip().removesuffix(around)
    _refuse_shell_changes(lines, around, _CHANGED[around])
    return found._replace(lines=lines)


def _refuse_shell_changes(lines: list[str], by: str, changed: str) -> None:
    for line in lines:
        if any(character in line for character in changed):
            raise PatchError(
                f"The patch comes in a shell command, and within {by} the shell would change"
                f" this line of it: {line[:80]}",
                hint=f"{_ALONE}; or quote the tag of the heredoc: <<'EOF'",
            )


def _inside_json(found: PatchText) -> PatchText | None:
    try:
        value = loads("\n".join(found.lines))
    except (JSONDecodeError, RecursionError):
        return None
    text = _text_in(value)
    if text is None:
        raise PatchError(
            "The patch argument is JSON that holds more than a patch",
            hint="pass the patch itself as text, and other arguments beside it",
        )
    return PatchText(_split(text), 1, found.folder)


def _text_in(value: Any) -> str | None:
    if isinstance(value, dict) and len(value) == 1:
        ((key, value),) = value.items()
        if key not in _JSON_KEYS:
            return None
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    *before, text = value or [""]
    if before in (["apply_patch"], []) or tuple(before) in _SHELLS:
        return str(text)
    return None


def _dedent(found: PatchText) -> PatchText:
    """Move a patch that is indented as a whole to the margin."""
    if not found.lines:
        return found
    indent = found.lines[0][: len(found.lines[0]) - len(found.lines[0].lstrip(" \t"))]
    if not indent or not all(line.startswith(indent) for line in found.lines if line.strip()):
        return found
    moved = [line[len(indent) :] if line.startswith(indent) else "" for line in found.lines]
    return found._replace(lines=moved)


def parse_patch(text: str) -> tuple[PatchReading, ...]:
    """Every way to read a patch, the literal one first; PatchError names the line that is wrong.

    There is more than one where the form leaves a doubt that only the files can settle: see
    `plan.patch.apply.plan_patch`.
    """
    found = unwrap(text)
    readings: list[PatchReading] = []
    failure: PatchError | None = None
    for read in _readers(found):
        try:
            reading = tuple(_below(found.folder, operation) for operation in read())
        except PatchError as error:
            failure = failure or error
            continue
        if reading not in readings:
            readings.append(reading)
    if not readings and failure:
        raise failure
    return tuple(readings)


def _readers(found: PatchText) -> list[Callable[[], PatchReading]]:
    lines, first = found.lines, found.first
    if is_envelope(lines):
        ways = envelope_readings(lines, first)
        return [partial(read_envelope, inner, first + 1) for inner in ways]
    if is_unified(lines):
        return [partial(read_unified, lines, first, keep_doubtful=keep) for keep in (False, True)]
    begins = [at for at, line in enumerate(lines, first) if line.strip() == BEGIN]
    hint = f"begin with {BEGIN}, or send a unified diff with --- and +++ lines"
    if len(lines) == 1 and "\\n" in lines[0]:
        hint = "break the lines of the patch with line breaks, not with a backslash and n"
    elif begins:
        hint = f"leave out what is before line {begins[0]} of the patch"
    raise PatchError(f"The first line of a patch must be {BEGIN!r}", hint=hint)


def _below(folder: str, operation: PatchOperation) -> PatchOperation:
    """*operation* with its paths counted from *folder*."""
    if not folder:
        return operation
    moved = replace(operation, path=posixpath.join(folder, operation.path))
    if isinstance(moved, UpdateFile) and moved.move_to is not None:
        return replace(moved, move_to=posixpath.join(folder, moved.move_to))
    return moved
