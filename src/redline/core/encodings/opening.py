"""Bytes as a `TextFile` in the encoding they have or declare; the one place that decides it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from redline.core.call_scope import checkpoint
from redline.core.encodings.names import UTF8, find_codec, require_codec, with_supersets
from redline.core.errors import RedlineError, UnsupportedEncoding
from redline.core.late_regex import late_regex
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree
from redline.core.textfile import BOM, TextFile, is_utf8

_MAX_BYTES = 64 << 10
_MAX_SECTIONS = 100
_MAX_GLOB = 200
_MAX_PATH = 512
_MAX_WILDCARDS = 6
_MAX_ALTERNATIVES = 20
_EDITORCONFIG = ".editorconfig"
_RANGE = late_regex(r"(-?\d{1,9})\.\.(-?\d{1,9})\Z")
_BRACES = late_regex(r"\{([^{}]*)\}")
_TOKEN = late_regex(r"\\.|\*\*/|\*\*|\*|\?|\[!?[^]/]+\]|.", re.DOTALL)
_EMPTIABLE = ("*", "**", "**/")


def configured_encoding(tree: Tree, path: WorkspacePath) -> str | None:
    """Return the codec set for *path* by the nearest `.editorconfig` that sets one."""
    for depth in range(len(path.parts) - 1, -1, -1):
        folder = WorkspacePath(path.root, path.parts[:depth])
        text = _read(tree, WorkspacePath(path.root, (*folder.parts, _EDITORCONFIG)))
        if text is None:
            continue
        charset, is_top = _charset(text, "/".join(path.parts[depth:]))
        if charset is not None:
            return find_codec(charset)
        if is_top:
            return None
    return None


def _read(tree: Tree, path: WorkspacePath) -> str | None:
    try:
        return tree.read(path, _MAX_BYTES).decode("utf-8", "replace")
    except RedlineError:
        return None


def _charset(text: str, relative: str) -> tuple[str | None, bool]:
    """Return the charset for a path below the file's directory, and whether to look no higher."""
    charset, is_top, applies, sections = None, False, False, 0
    for line in _lines(text):
        if line.startswith("[") and line.endswith("]"):
            sections += 1
            applies = sections <= _MAX_SECTIONS and _selects(line[1:-1], relative)
            continue
        key, _, value = (part.strip().lower() for part in line.partition("="))
        if not sections and key == "root":
            is_top = value == "true"
        elif applies and key == "charset":
            charset = None if value == "unset" else value.replace("-bom", "")
    return charset, is_top


def _lines(text: str) -> Iterator[str]:
    for line in text.removeprefix("\ufeff").splitlines():
        line = line.strip()
        if line and line[0] not in "#;":
            yield line


def _selects(glob: str, relative: str) -> bool:
    """Return whether a section's glob selects a path; in time that grows with both lengths only."""
    if len(glob) > _MAX_GLOB or len(relative) > _MAX_PATH or glob.count("*") > _MAX_WILDCARDS:
        return False
    checkpoint()
    anchored = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    return any(_matches(_TOKEN.findall(plain), relative) for plain in _alternatives(anchored))


def _alternatives(glob: str) -> list[str]:
    """Return *glob* without braces, once for each choice; the first ones where there are many."""
    pending, plain = [glob], list[str]()
    while pending and len(plain) + len(pending) <= _MAX_ALTERNATIVES:
        each = pending.pop()
        found = _BRACES.search(each)
        if found is None:
            plain.append(each)
            continue
        pending += [each[: found.start()] + c + each[found.end() :] for c in _choices(found[1])]
    return plain


def _choices(body: str) -> list[str]:
    ends = _RANGE.match(body)
    if ends is None:
        return body.split(",")
    low, high = sorted((int(ends[1]), int(ends[2])))
    return [str(number) for number in range(low, min(high, low + _MAX_ALTERNATIVES) + 1)]


def _matches(tokens: list[str], path: str) -> bool:
    at = _skip_empty(tokens, {0})
    for letter in path:
        at = _skip_empty(tokens, {after for i in at for after in _step(tokens, i, letter)})
    return len(tokens) in at


def _skip_empty(tokens: list[str], at: set[int]) -> set[int]:
    """Add the positions after wildcards that may match nothing."""
    pending, reached = list(at), set(at)
    while pending:
        i = pending.pop()
        new = {i + 1} - reached if i < len(tokens) and tokens[i] in _EMPTIABLE else set()
        reached |= new
        pending += new
    return reached


def _step(tokens: list[str], i: int, letter: str) -> tuple[int, ...]:
    """Return where position *i* leads with one more letter of the path."""
    match tokens[i] if i < len(tokens) else "":
        case "**":
            return (i,)
        case "**/":
            return (i, i + 1) if letter == "/" else (i,)
        case "*":
            return () if letter == "/" else (i,)
        case wanted:
            return (i + 1,) if _fits(wanted, letter) else ()


def _fits(wanted: str, letter: str) -> bool:
    if wanted == "?":
        return letter != "/"
    if len(wanted) > 2 and wanted[0] == "[":
        is_negated = wanted[1] == "!"
        return _in_class(wanted[1 + is_negated : -1], letter) != is_negated
    return wanted[-1:] == letter


def _in_class(body: str, letter: str) -> bool:
    spans = re.findall(r"(.)-(.)|(.)", body, re.DOTALL)
    return any(low <= letter <= high if low else letter == one for low, high, one in spans)


_HEAD = 1024
_NAME = rb"([A-Za-z0-9][-\w.:]*)"
# PEP 263, and the same words of Emacs and Vim after other comment signs.
_COOKIE = late_regex(
    rb"\A(?:[^\n]*\n)?[ \t\f]*(?:#|//|/\*|;|%|--|<!--|\"|\.\.)[^\n]*?coding[:=][ \t]*" + _NAME
)
_XML = late_regex(rb"\A<\?xml[^>]{0,200}?encoding\s*=\s*[\"']" + _NAME)
_CSS = late_regex(rb"\A@charset \"" + _NAME)
# Comments are skipped without going back: there is one way to read them.
_MARKUP = late_regex(
    rb"\A\s*+(?:<!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head|meta)",
    re.IGNORECASE | re.DOTALL,
)
_META = late_regex(rb"<meta\b[^>]{0,300}?charset\s*=\s*[\"']?\s*" + _NAME, re.IGNORECASE)


def declared_encoding(raw: bytes) -> str | None:
    """Return the codec that a file names for itself, None if it names none that exists."""
    head = raw[:_HEAD]
    found = _COOKIE.match(head) or _XML.match(head) or _CSS.match(head)
    if found is not None:
        return find_codec(found[1].decode("latin-1"))
    found = _META.search(head) if _MARKUP.match(head) else None
    if found is None:
        return None
    name = find_codec(found[1].decode("latin-1"))
    # Browsers read both names as Windows-1252.
    return "cp1252" if name in ("iso8859-1", "ascii") else name


_LEAD_BYTE = late_regex(rb"[\xc2-\xf4]")
# With this many characters of several bytes a file is UTF-8, whatever it declares.
_SURELY_UTF8 = 4
_WIDE = {"utf-16": 2, "utf-32": 4}
Lookup = Callable[[], str | None]


def open_file(
    tree: Tree, path: WorkspacePath, raw: bytes, encoding: str | None = None, shown: str = ""
) -> TextFile:
    """Return the content of *path* as text; see `open_text`."""
    return open_text(raw, encoding, partial(_find_configured, tree, path), shown or path.relative)


def open_versions(
    old: bytes, new: bytes, encoding: str | None = None, configured: Lookup | None = None
) -> tuple[TextFile, TextFile]:
    """Return two versions of one file as text, in the same encoding where both are text in it."""
    before = open_text(old, encoding, configured)
    if not before.is_foreign:
        is_open = before.is_binary or old.isascii()
        return before, open_text(new, configured=configured) if is_open else TextFile(new)
    try:
        return before, _open_as(new, before.encoding, "")
    except UnsupportedEncoding:
        return before, open_text(new, configured=configured)


def configured_in(tree: Tree) -> Callable[[WorkspacePath], str | None]:
    """Return a function that looks up the encoding the workspace's settings name for a path."""
    return partial(_find_configured, tree)


def open_text(
    raw: bytes, encoding: str | None = None, configured: Lookup | None = None, shown: str = ""
) -> TextFile:
    """Return *raw* as text in the encoding asked for, marked, declared or detected.

    What is none of these is left as it is: UTF-8 with bytes that mean themselves, or binary.
    *configured* is asked for the encoding that settings of the workspace name. Raises
    InvalidArgument and UnsupportedEncoding where *encoding* cannot be.
    """
    if encoding is not None:
        return _open_as(raw, require_codec(encoding), shown)
    plain = TextFile(raw, declared=partial(_find_declared, raw, configured))
    if plain.is_binary or raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _open_wide(raw) or plain
    if raw.isascii() or raw.startswith(BOM):
        return plain
    valid = is_utf8(raw)
    if valid and sum(1 for _ in islice(_LEAD_BYTE.finditer(raw), _SURELY_UTF8)) == _SURELY_UTF8:
        return plain
    return _open_declared(raw, plain, valid=valid) or (plain if valid else _open_detected(raw))


def _open_wide(raw: bytes) -> TextFile | None:
    from redline.core.encodings.wide import marked_encoding, unmarked_encoding

    encoding = marked_encoding(raw) or unmarked_encoding(raw)
    return None if encoding is None else TextFile(raw, encoding)


def _open_declared(raw: bytes, plain: TextFile, *, valid: bool) -> TextFile | None:
    declared = plain.declared() if plain.declared is not None else None
    if declared in (None, UTF8):
        return None
    from redline.core.encodings.detect import fits

    for encoding in with_supersets(declared or UTF8):
        if fits(raw, encoding):
            return TextFile(raw, encoding, rivals=(UTF8,) if valid else ())
    return None


def _open_detected(raw: bytes) -> TextFile:
    from redline.core.encodings.detect import detect_encoding

    if b"\0" in raw:  # further on than where binary content is looked for
        return _open_wide(raw) or TextFile(raw)
    encoding = detect_encoding(raw)
    return TextFile(raw) if encoding is None else TextFile(raw, encoding, is_guess=True)


def _open_as(raw: bytes, encoding: str, shown: str) -> TextFile:
    """Return *raw* in the encoding that the caller names, refused where that cannot be."""
    if encoding in _WIDE:
        encoding = _with_byte_order(raw, encoding)
    file = TextFile(raw, encoding)
    try:
        text = raw.decode(encoding) if encoding == UTF8 else file.text
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        raise _cannot_be(f"Not {encoding}, byte {at} cannot be read", shown) from None
    if "\0" in text:
        raise _cannot_be(f"Not text in {encoding}, it would hold NUL", shown)
    return file


def _with_byte_order(raw: bytes, encoding: str) -> str:
    from redline.core.encodings.wide import marked_encoding, unmarked_encoding

    found = marked_encoding(raw) or unmarked_encoding(raw) or ""
    return found if found.startswith(encoding) else f"{encoding}-le"


def _cannot_be(fact: str, shown: str) -> UnsupportedEncoding:
    return UnsupportedEncoding(shown, f"{fact}: {shown}", hint="leave encoding out to detect it")


def _find_declared(raw: bytes, configured: Lookup | None) -> str | None:

    found = declared_encoding(raw)
    if found is None and configured is not None:
        found = configured()
    # Bytes that read as ASCII cannot be UTF-16 or UTF-32, whatever they say.
    return None if found is not None and found.startswith(tuple(_WIDE)) else found


def _find_configured(tree: Tree, path: WorkspacePath) -> str | None:
    from redline.core.encodings.opening import configured_encoding

    return configured_encoding(tree, path)
