"""Which values differ between two versions of a document, found in a worker.

A document is compared by its leaves: every scalar and every empty collection at its path, with its
tag. A leaf that is in one version only, or differs, is touched. Lists are compared by position.
Aliases count as the values they repeat, and what `<<` merges counts as if it were written there.

Programs differ in how they read a document. What YAML 1.1 reads otherwise than YAML 1.2 (`yes`,
`0777`, `22:22`) counts as touched when its quotes come or go, and when it becomes another text of
the same value. Where programs disagree about the whole, all of it may be touched.
"""

from __future__ import annotations

import marshal
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count, zip_longest
from typing import Any, NamedTuple

from redline.core.errors import DocumentSyntax, RedlineError
from redline.core.ports.confined import Confined
from redline.documents.base.model import MAX_PARSED_BYTES, require_text
from redline.documents.formats import named_format, open_document, sniff
from redline.policy.field_patterns import Steps

_MAX_TOUCHED = 5_000
_SMALL = 1 << 16
_MERGE = "<<"
_MISSING = object()
_MARSHAL = 2
_MAX_TAG = 200
_TEXT = {str}
# No document can have this tag: it is another one in each process.
_PLAIN = f"redline:{os.urandom(8).hex()}"
_MARK = f"!<{_PLAIN}> "
_OWN_TEXT = re.compile(rf"!<{_PLAIN}(?:> |:([0-9a-f]*)>)")
# A tag where it may be one. The parser keeps no tag that says what most texts are anyway.
_TAG = re.compile(
    r"""(?:(?<=[\s,\[{:])|(?<=\ufeff)|\A)(?<!%TAG\ )
    !(?:<[^\s>]*>|[^\s,\[\]{}"'<>]*)(?<!:)(?=[\s,\]}]|\Z)""",
    re.VERBOSE,
)
# Characters that no tag has: some readers end it there.
_BROKEN_TAG = re.compile(
    r"(?:^|[-?:,\[{])[ \t]*(?:&\S+[ \t]+)?![^\s,\[\]{}\"'<>]*[\\^`|]", re.MULTILINE
)
# White space for the parser, which is part of a text by the specification.
_WIDE_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# Line breaks of YAML 1.1 alone.
_OLD_BREAK = re.compile("[\x85\u2028\u2029]")
# Plain scalars that YAML 1.1 and 1.2 read differently; some readers of 1.1 know fewer of them.
_TWO_READINGS = r"""(?:
    [yYnN] | [yY]es | YES | [nN]o | NO | [oO]n | ON | [oO]ff | OFF | =
  | [-+]?0b[01_]+ | [-+]?0x[0-9a-fA-F_]+ | [-+]?0o[0-7_]+ | [-+]?0[0-9_]+
  | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
  | [-+]?[0-9]+_[0-9_]* (?:\.[0-9_]*)? (?:[eE][-+]?[0-9]+)?
  | [-+]?[0-9]*\.[0-9]*_[0-9_]* (?:[eE][-+]?[0-9]+)?
  | [-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+
  | [-+]?\.[0-9]+ | [-+]?[0-9]+\. | [-+]\.[0-9_]*
  | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} (?:(?:[Tt]|[ \t]+)[0-9:.]+ (?:[ \t]*(?:Z|[-+][0-9:]+))?)?
)"""
# Such a scalar where it may be one: what is found in a text or a comment does no harm there.
_MARKED = re.compile(
    rf"""(?:(?<=[\s,\[{{])|(?<=["']:)|(?<=\ufeff)|\A) {_TWO_READINGS}
    (?= [ \t]*(?: [,\]}}\r\n] | :[\s,\]}}] | :\Z | \Z ) | [ \t]+\# )""",
    re.VERBOSE,
)
_TAG_BEFORE = re.compile(r"(?:\A|[\s,\[{:])![^\s,\[\]{}]*[ \t]+(?:&[^\s,\[\]{}]+[ \t]+)?\Z")
# Some programs merge all of several `<<`, others the last.
_MERGE_KEY = re.compile(r"(?:(?<=[\s,\[{])|\A)<<(?=[ \t]*:[\s,\]}])")
_DIRECTIVE = re.compile(rb"^%(?:YAML|TAG)[ \t]+([^\r\n]*)", re.MULTILINE)
# Some readers that were told a version of YAML forget it where the first document is marked.
_MARKED_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*---(?=\s|\Z)")
# Strings and comments of all dialects of JSON, and the colons between them.
_JSON_TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\r\n]*|/\*.*?\*/|(:)', re.DOTALL
)


class _PlainKey(NamedTuple):
    """A value whose key is not a text, or not for every version of YAML."""

    value: Any
    tag: str = _PLAIN


def touched_fields(
    confined: Confined, name: str, old: bytes | None, new: bytes | None
) -> list[Steps] | None:
    """The paths of values that differ; None where that is not known, so it may be all of them.

    None for *old* or *new* is a file that is not there.
    """
    if any(data is not None and len(data) > MAX_PARSED_BYTES for data in (old, new)):
        return None
    try:
        if named_format(name) in ("json", "jsonc"):
            # As elsewhere these two are parsed here, by parsers that keep no recursion.
            found = compare(_no_answers, name, old, new)
        else:
            found = confined.call(f"{__name__}:compare", (name, old, new))
    except (RedlineError, RecursionError):
        return None  # it does not parse, or a parser crashed or took too long on it
    return None if found is None else [tuple(steps) for steps in found]


def _no_answers(*_: Any) -> None:
    """Take the place of the answers of the server, which comparing does not ask for."""


def compare(
    _ask: Callable[..., Any], name: str, old: bytes | None, new: bytes | None
) -> list[Steps] | None:
    """The worker's part of `touched_fields`."""
    form = named_format(name)
    if old is not None and new is not None and _preamble(old) != _preamble(new):
        return None  # some programs read the whole by another version of YAML
    pairs = zip_longest(_documents_of(form, old), _documents_of(form, new), fillvalue=_MISSING)
    found: set[Steps] = set()
    for before, after in pairs:
        for steps in _differences(before, after):
            found.add(steps)
            if len(found) > _MAX_TOUCHED:
                return None
    found |= {_merge(steps) for steps in found if _MERGE in steps}
    if form in (None, "yaml") and (others := [_with_old_breaks(old), _with_old_breaks(new)]) != [
        old,
        new,
    ]:
        more = compare(_ask, name, *others)
        if more is None:
            return None
        found.update(more)
    return sorted(found, key=lambda steps: tuple(map(str, steps)))


def _preamble(data: bytes) -> tuple[list[bytes], bool]:
    """Return the directives of a YAML file, and whether a marker begins its first document."""
    return _DIRECTIVE.findall(data), _MARKED_START.match(data) is not None


def _with_old_breaks(data: bytes | None) -> bytes | None:
    """Return a document with the line breaks that programs of YAML 1.1 see in it."""
    if data is None:
        return None
    return _OLD_BREAK.sub("\n", data.decode("utf-8", "surrogateescape")).encode(
        "utf-8", "surrogateescape"
    )


def _differences(top: Any, other: Any) -> Iterator[Steps]:
    """Yield the paths of leaves in which two values differ, without recursion."""
    waiting: list[tuple[Steps, Any, Any]] = [((), top, other)]
    while waiting:
        steps, old, new = waiting.pop()
        if old == new and _have_equal_types(old, new):
            continue
        if getattr(old, "tag", None) != getattr(new, "tag", None):
            yield steps
            yield from _below_plain_key(steps, old)
            yield from _below_plain_key(steps, new)
        old, new = _without_tag(old), _without_tag(new)
        was, becomes = _children(old), _children(new)
        if was is None or becomes is None or type(old) is not type(new):
            yield from _leaves(steps, old)
            yield from _leaves(steps, new)
            continue
        if not was or not becomes:
            yield steps  # an empty collection is a leaf
        for key in was if was.keys() == becomes.keys() else {**was, **becomes}:
            before, after = was.get(key, _MISSING), becomes.get(key, _MISSING)
            if before is not after and not (type(before) is type(after) is str and before == after):
                waiting.append(((*steps, key), before, after))


def _below_plain_key(steps: Steps, value: Any) -> Iterator[Steps]:
    """Yield the leaves of a value whose key is another one for some programs."""
    return _leaves(steps, value if isinstance(value, _PlainKey) else _MISSING)


def _have_equal_types(old: Any, new: Any) -> bool:
    """Return whether equal values are written alike too, which `1 == True` does not say."""
    try:
        # In this version a value's bytes depend on nothing but the value.
        return marshal.dumps(old, _MARSHAL) == marshal.dumps(new, _MARSHAL)
    except ValueError:  # a tag or a date is in it
        return repr(old) == repr(new)


def _merge(steps: Steps) -> Steps:
    """Return where a value is once it is merged: neither `<<` nor a position in its list counts."""
    return tuple(
        step
        for before, step in zip((None, *steps), steps, strict=False)
        if step != _MERGE and not (before == _MERGE and isinstance(step, int))
    )


def _documents_of(form: str | None, data: bytes | None) -> list[Any]:
    if data is None:
        return []
    form = form or sniff(data)
    return _small_documents(data, form) if len(data) < _SMALL else _documents(data, form)


@lru_cache(16)
def _small_documents(data: bytes, form: str) -> list[Any]:
    """The same, remembered: what a change leaves is often what the next one starts from."""
    return _documents(data, form)


def _documents(data: bytes, form: str) -> list[Any]:
    if form == "yaml":
        return _yaml_documents(data)
    document = open_document(data, form).data()
    if form in ("json", "jsonc", "json5"):
        _refuse_duplicates(data, document)
    return [document]


def _yaml_documents(data: bytes) -> list[Any]:
    from redline.documents.yaml import strict

    require_text(data, "YAML", MAX_PARSED_BYTES)
    numbers = count()
    text = data.decode("utf-8")
    if _BROKEN_TAG.search(text):
        raise DocumentSyntax("A tag has a character that none may have")
    text = _MARKED.sub(_mark, _WIDE_SPACE.sub(_keep, _TAG.sub(_keep, text)))
    # Keys that differ in their tags alone are all kept, and then refused.
    data = _MERGE_KEY.sub(lambda _: f"!<redline:merge{next(numbers)}> {_MERGE}", text).encode()
    documents = strict.parse(data) or [None]  # an empty file is one empty value
    if b"*" not in data:
        return documents
    nodes = (node for top in documents for node in strict.nodes(top))
    if not any(strict.alias_name(node) is not None for node in nodes):
        return documents
    import yaml12

    try:
        # Aliases as the values they repeat; what that can grow to, the worker's budget bounds.
        return list(yaml12.parse_yaml(data.decode("utf-8-sig"), multi=True))
    except ValueError as error:
        raise DocumentSyntax(f"Invalid YAML: {error}") from None


def _mark(found: re.Match[str]) -> str:
    """Tag a scalar that has two readings; one that is tagged already has one."""
    before = found.string[max(0, found.start() - _MAX_TAG) : found.start()]
    return found[0] if _TAG_BEFORE.search(before) else _MARK + found[0]


def _keep(found: re.Match[str]) -> str:
    return f"!<{_PLAIN}:{found[0].encode().hex()}>"


def _written(found: re.Match[str]) -> str:
    return bytes.fromhex(found[1] or "").decode()


def _refuse_duplicates(data: bytes, document: Any) -> None:
    """Refuse an object with a key twice: programs differ in which of both they read."""
    written = sum(1 for token in _JSON_TOKEN.finditer(data) if token[1])
    read, waiting = 0, [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            read += len(value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    if written != read:
        raise DocumentSyntax("An object has the same key twice")


def _leaves(top: Steps, value: Any) -> Iterator[Steps]:
    """Yield the path of every leaf of a value, without recursion."""
    waiting: list[tuple[Steps, Any]] = [] if value is _MISSING else [(top, value)]
    while waiting:
        steps, inner = waiting.pop()
        if getattr(inner, "tag", None) is not None:
            yield steps
        children = _children(_without_tag(inner))
        if children:
            waiting += [((*steps, key), child) for key, child in children.items()]
        else:
            yield steps


def _children(value: Any) -> Mapping[str | int, Any] | None:
    """Return what lies in a collection, by key as text or by position; None for any other value."""
    if isinstance(value, list):
        return dict(enumerate(value))
    if not isinstance(value, dict):
        return None
    if set(map(type, value)) <= _TEXT and not any(_PLAIN in key for key in value):
        return value
    found: dict[str | int, Any] = {_key(key): _with_key(key, inner) for key, inner in value.items()}
    if len(found) != len(value):
        raise DocumentSyntax("Two keys of a mapping have the same text")
    return found


def _with_key(key: Any, inner: Any) -> Any:
    """Return a value, marked if its key is not a text for every program."""
    if (tag := getattr(key, "tag", None)) is not None:
        return _PlainKey(inner, tag)
    return inner if isinstance(key, str) else _PlainKey(inner, type(key).__name__)


def _without_tag(value: Any) -> Any:
    return value.value if getattr(value, "tag", None) is not None else value


def _key(key: Any) -> str:
    key = getattr(key, "value", key)
    # What looked like a scalar or tag of its own may be part of a longer text.
    return _OWN_TEXT.sub(_written, key if isinstance(key, str) else str(key))
