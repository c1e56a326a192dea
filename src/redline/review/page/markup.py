"""HTML from trusted templates and untrusted text; whatever is not `Html` is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from urllib.parse import quote, urlencode

from redline.core.late_regex import late_regex
from redline.core.wording import HIDDEN, escape_character, visible

_ADDRESSES = frozenset({"href", "src", "action", "data-src"})
_prefix: ContextVar[str] = ContextVar("prefix", default="")
# Spaces that look like another one, or like none.
_ODD_SPACE = late_regex("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_VOID = frozenset({"input", "img", "br", "meta", "link", "hr"})


@contextmanager
def addresses_beneath(prefix: str) -> Iterator[None]:
    """Put *prefix* before every path of this page that is written meanwhile."""
    token = _prefix.set(prefix)
    try:
        yield
    finally:
        _prefix.reset(token)


def locate(path: str) -> str:
    """Return the address of a path of this page."""
    return _prefix.get() + path if path.startswith("/") else path


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(raw: object) -> Html:
    """Escape *raw* for use between tags; hidden characters become visible."""
    shown = escape(str(raw), quote=True)
    if shown.isascii() and shown.isprintable():
        return Html(shown)
    return Html(_ODD_SPACE.sub(_mark, HIDDEN.sub(_mark, shown)))


def _mark(found: re.Match[str]) -> str:
    return f'<span class="hidden-char">{escape_character(found[0])}</span>'


def exact(raw: str) -> Html:
    """Escape *raw* for a text box, which gives it back as it is; a first line break is dropped."""
    return Html("\n" + escape(raw, quote=True))


def attribute(raw: object) -> str:
    """Escape *raw* for use within a quoted attribute."""
    return escape(visible(str(raw))[0], quote=True)


def join(*parts: object) -> Html:
    """Join markup and text; None and False are left out, sequences are joined too."""
    return Html("".join(_render(part) for part in parts))


def _render(part: object) -> str:
    if part is None or part is False:
        return ""
    if isinstance(part, Html):
        return str(part)
    if isinstance(part, str | int | float):
        return text(part)
    if isinstance(part, Iterable):
        return "".join(_render(each) for each in part)
    raise TypeError(f"not markup: {type(part).__name__}")


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """Return one element; `class_` and `aria_label` lose or change their underscores.

    An attribute that is None or False is left out, one that is True has no value.
    """
    fields = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        if key in _ADDRESSES:
            value = locate(str(value))
        fields.append(f" {key}" if value is True else f' {key}="{attribute(value)}"')
    opening = f"<{name}{''.join(fields)}>"
    if name in _VOID:
        return Html(opening)
    return Html(f"{opening}{join(*children)}</{name}>")


def link(href: str, /, *children: object, **attributes: object) -> Html:
    """Return a link; *href* is a path of this page."""
    return tag("a", *children, href=href, **attributes)


def facts(rows: Iterable[tuple[str, object]]) -> Html:
    """Return a list of names and values; empty values are left out."""
    shown = [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows if value]
    return tag("dl", shown, class_="facts")


def address(path: str, /, **query: object) -> str:
    """Return a path of this page with a query; empty values are left out."""
    given = {k.rstrip("_"): str(v) for k, v in query.items() if v not in (None, "", False)}
    # What cannot be encoded, such as an undecodable name, does not occur: names are shown ones.
    quoted = quote(path, safe="/", errors="replace")
    return f"{quoted}?{urlencode(given, errors='replace')}" if given else quoted


def hidden(name: str, value: object) -> Html:
    """Return a form field that is not seen."""
    return tag("input", type="hidden", name=name, value=value)
