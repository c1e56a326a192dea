"""C as a parser can read it that expands no macros: same length, same lines, fewer riddles.

Conditional lines cut blocks in half, and macros stand where the grammar knows no word. Both are
blanked here for the sake of finding definitions; references are read from the text as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
# A macro that makes one item of a list: `OPTION(NAME, TYPE, 3),` stands for NAME.
_CALL_HEAD = re.compile(rf"^[ \t]+({_CAPITAL}\()(?=\w+,[^()\n]*\)[ \t]*,[ \t]*$)", re.MULTILINE)
_CALL_TAIL = re.compile(r"^[ \t]+\w+(,[^()\n]*\))(?=[ \t]*,[ \t]*$)", re.MULTILINE)


@dataclass(slots=True)
class _Group:
    """One #if with its branches: the lines of its directives, and the balance of each branch."""

    inside: bool
    marks: list[int]
    cplusplus: bool
    balances: list[int] = field(default_factory=lambda: [0])


def without_riddles(text: str) -> str:
    """*text* with cut blocks made whole and attribute macros blanked, every offset kept."""
    return _without_macros(_without_cuts(text))


def _without_macros(text: str) -> str:
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


def _without_cuts(text: str) -> str:
    if "#" not in text:
        return text
    lines = text.split("\n")
    for first, last in _blanked(lines):
        for number in range(first, last):
            lines[number] = " " * len(lines[number])
    return "\n".join(lines)


def _blanked(lines: list[str]) -> list[tuple[int, int]]:
    """The spans of lines to blank: directives within blocks, and branches that repeat a cut."""
    spans: list[tuple[int, int]] = []
    groups: list[_Group] = []
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
            groups.append(_Group(depth > 0, [number], "__cplusplus" in found[2]))
        elif groups and found[1] != "endif":
            depth -= groups[-1].balances[-1]
            groups[-1].marks.append(number)
            groups[-1].balances.append(0)
        elif groups:
            group = groups.pop()
            group.marks.append(number)
            depth += _closed(group, spans, groups)
    return spans


def _closed(group: _Group, spans: list[tuple[int, int]], outer: list[_Group]) -> int:
    """Note what of a finished group to blank; how the depth differs from its last branch's."""
    marks, balances = group.marks, group.balances
    cut = any(balances)
    if cut and group.cplusplus:
        spans.append((marks[0], marks[-1] + 1))
        return -balances[-1]
    if cut or group.inside:
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
