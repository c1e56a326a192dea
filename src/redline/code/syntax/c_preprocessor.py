"""Prepare C for a parser that runs no preprocessor, keeping every offset and line.

Conditional directives can cut blocks in half, and macros can occur where the grammar allows no
word. Both are blanked before definitions are looked for; references are read from the original.
"""

from __future__ import annotations

import re

from redline.core.records import dataclass, field

_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
_TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//.*|/\*.*?\*/')
_CAPITAL = r"[A-Z][A-Z0-9_]{2,}"
# A macro before a declaration: `LUA_API int f(...)`, `CURL_EXTERN struct x *f(...)`.
_BEFORE = re.compile(
    rf"^({_CAPITAL})(?=[ \t]+(?:[a-z_]\w*|[A-Z]\w*[a-z]\w*|{_CAPITAL})[ \t*]+\(?[ \t*]*[A-Za-z_])",
    re.MULTILINE,
)
# A macro after a parameter list: `int f(void) NORETURN;`.
_AFTER = re.compile(rf"^(?=[A-Za-z_]).*\)[ \t]*({_CAPITAL})(?=[ \t]*[;{{][ \t]*$)", re.MULTILINE)
# A macro with numbers between a type and the name on the next line: `void printflike(1, 2)`.
_NUMBERED = re.compile(
    r"^[A-Za-z_][\w \t*]*[ \t](\w+\([\d, \t]+\))(?=[ \t]*\n[A-Za-z_]\w*\()", re.MULTILINE
)
# A calling convention: `typedef BOOL (WINAPI *name)(...)`.
_CONVENTION = re.compile(rf"^[ \t]*typedef\b[^;(]*\([ \t]*({_CAPITAL})(?=[ \t]*\*)", re.MULTILINE)
# A macro that makes several fields, alone on its line after a field or an opening brace.
_FIELDS = re.compile(
    rf"(?<=[;{{/])[ \t]*\n(?:[ \t]*\n)*[ \t]+({_CAPITAL})(?=[ \t]*\n[ \t\n]*(?![\s}}]))"
)
_LAST_FIELDS = re.compile(rf"(?<=;)[ \t]*\n(?:[ \t]*\n)*[ \t]+({_CAPITAL})(?=[ \t]*\n[ \t\n]*}})")
# A macro that makes one item of a list: `OPTION(NAME, TYPE, 3),` defines NAME.
_CALL_HEAD = re.compile(rf"^[ \t]+({_CAPITAL}\()(?=\w+,[^()\n]*\)[ \t]*,[ \t]*$)", re.MULTILINE)
_CALL_TAIL = re.compile(r"^[ \t]+\w+(,[^()\n]*\))(?=[ \t]*,[ \t]*$)", re.MULTILINE)


@dataclass(slots=True)
class _Conditional:
    """One #if with its branches: the lines of its directives, and each branch's brace balance."""

    in_block: bool
    directives: list[int]
    cplusplus: bool
    balances: list[int] = field(default_factory=lambda: [0])


def resolve_conditionals(text: str) -> str:
    """Blank directives and branches that cut blocks, and attribute macros; keep every offset."""
    return _blank_macros(_blank_directives(text))


def _blank_macros(text: str) -> str:
    for pattern in (
        _AFTER,
        _BEFORE,
        _NUMBERED,
        _CONVENTION,
        _FIELDS,
        _LAST_FIELDS,
        _CALL_HEAD,
        _CALL_TAIL,
    ):
        text = pattern.sub(_blank_word, text)
    return text


def _blank_word(match: re.Match[str]) -> str:
    begin, end = match.start(1) - match.start(), match.end(1) - match.start()
    whole = match[0]
    return whole[:begin] + " " * (end - begin) + whole[end:]


def _blank_directives(text: str) -> str:
    if "#" not in text:
        return text
    lines = text.split("\n")
    for first, last in _spans_to_blank(lines):
        for number in range(first, last):
            lines[number] = " " * len(lines[number])
    return "\n".join(lines)


def _spans_to_blank(lines: list[str]) -> list[tuple[int, int]]:
    """Return spans of lines: directives within blocks, and branches that repeat a cut."""
    spans: list[tuple[int, int]] = []
    groups: list[_Conditional] = []
    depth = 0
    for number, line in enumerate(lines):
        found = _DIRECTIVE.match(line)
        if found is None:
            change = _balance(line)
            depth += change
            if groups:
                groups[-1].balances[-1] += change
            continue
        if found[1].startswith("if"):
            groups.append(_Conditional(depth > 0, [number], "__cplusplus" in found[2]))
        elif groups and found[1] != "endif":
            depth -= groups[-1].balances[-1]
            groups[-1].directives.append(number)
            groups[-1].balances.append(0)
        elif groups:
            group = groups.pop()
            group.directives.append(number)
            depth += _close(group, spans, groups)
    return spans


def _close(group: _Conditional, spans: list[tuple[int, int]], outer: list[_Conditional]) -> int:
    """Add what to blank of a finished conditional; return the correction of the block depth."""
    marks, balances = group.directives, group.balances
    cut = any(balances)
    if cut and group.cplusplus:
        spans.append((marks[0], marks[-1] + 1))
        return -balances[-1]
    if cut or group.in_block:
        spans += [(mark, mark + 1) for mark in marks]
    if cut:
        spans += [(marks[nth], marks[nth + 1]) for nth in range(1, len(balances))]
    if outer:
        outer[-1].balances[-1] += balances[0]
    return balances[0] - balances[-1]


def _balance(line: str) -> int:
    if "{" not in line and "}" not in line:
        return 0
    plain = _TEXTS.sub("", line)
    return plain.count("{") - plain.count("}")
