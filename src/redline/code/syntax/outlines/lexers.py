"""What is a string or a comment in each language, as far as leaving out code requires.

A text is closed if it closes every bracket, string and comment that it opens. A lexer need not
understand a language: what it cannot account for counts as open, and open text is never left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

_QUOTED = r'"(?:\\.|[^"\\\n])*+"'
_CHARACTERS = r"'(?:\\.|[^'\\\n])*+'"
_TRIPLE = r'"""(?:\\.|[^\\])*?"""'
# A string that ends with three quotes or more, in which a backslash means nothing.
_RAW_TRIPLE = r'""".*?"""+'
_BACKQUOTED = r"`[^`]*`"
_COMMENTS = r"//[^\n]*|/\*.*?\*/"
_HASH = r"#[^\n]*"
_C_LIKE = f"{_COMMENTS}|{_QUOTED}|{_CHARACTERS}"
_SCRIPT = rf"{_C_LIKE}|`(?:\\.|[^`\\])*+`"
_LIFETIMES = r"'(?:\\[^\n]*?|[^\\'\n])'|'\w+"
_RUST_RAW = r"r(#*)\".*?\"\1"
_CPP_RAW = r'R"([^()\\\s]*)\(.*?\)\1"'
_SWIFT_RAW = r'(#+)"(?:"")?.*?"(?:"")?\1'
_SHARP_RAW = r'"""+.*?"""+|(?:@\$?|\$@)"(?:""|[^"])*+"'
_DART_TRIPLE = r"'''(?:\\.|[^\\])*?'''"
_LUA_LONG = r"\[(=*)\[.*?\]\1\]"
_PERCENT = r"%[qQwWiIrsx]?(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>\n]*>)"
# A here-document: the rest of its first line is code again, but rarely more than closing brackets.
_HERE = (
    r"(?P<quote>[\"'`]?)(?P<mark>[A-Za-z_]\w*)(?P=quote)[^\n\"'`]*\n"
    r"(?:[^\n]*\n)*?[ \t]*(?P=mark)\b"
)
# Left over behind all tokens, these belong to a token that was not understood.
_UNSURE = r"[\"'`]|/\*|\*/"
_HERE_UNSURE = rf"{_UNSURE}|<<[~-]?[\w\"'`]"
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:(if)|(endif))", re.MULTILINE)
_PAIRS = ("{}", "()", "[]")
_DEPTHS = {"{": 1, "}": -1, "(": 1, ")": -1, "[": 1, "]": -1}
_MAX_STRIPPED = 4
_BRACKETS = {1: re.compile(r"[{}]"), 3: re.compile(r"[][(){}]")}


class BlockStyle(StrEnum):
    """How a language marks the body of a definition."""

    BRACES = "braces"
    INDENTED = "indented"
    END = "end"
    # A head may have several lines; its last one ends with `do`.
    DO_END = "do end"
    # Definitions are pieces of the file; nothing smaller is left out.
    PIECES = "pieces"


@dataclass(frozen=True, slots=True)
class Lexer:
    """Tells strings and comments of a language from its code."""

    tokens: re.Pattern[str]
    unsure: re.Pattern[str]
    style: BlockStyle
    pairs: tuple[str, ...]
    # Whether lines such as `#if` and `#endif` belong together.
    has_conditionals: bool

    def is_closed(self, text: str) -> bool:
        """Return whether *text* closes every bracket, string and comment that it opens."""
        code = self.code_of(text)
        return code is not None and self.is_balanced(code)

    def code_of(self, text: str) -> str | None:
        """Return *text* without its strings and comments; None unless each of them is closed."""
        code = self.tokens.sub("", text)
        return None if self.unsure.search(code) is not None else code

    def is_balanced(self, code: str) -> bool:
        """Return whether *code* closes what it opens, and nothing else."""
        if self.has_conditionals and "#" in code:
            found = [match.lastindex for match in _CONDITIONAL.finditer(code)]
            if found.count(1) != found.count(2):
                return False
        brackets = "".join(_BRACKETS[len(self.pairs)].findall(code))
        # Nearly always some pairs in each other: without them, nothing is left.
        for _ in range(_MAX_STRIPPED):
            if not brackets:
                return True
            brackets = brackets.replace("()", "").replace("[]", "").replace("{}", "")
        if any(brackets.count(pair[0]) != brackets.count(pair[1]) for pair in self.pairs):
            return False
        return min(accumulate(map(_DEPTHS.__getitem__, brackets), initial=0)) >= 0


def _lexer(
    tokens: str,
    style: BlockStyle = BlockStyle.BRACES,
    unsure: str = _UNSURE,
    *,
    pairs: tuple[str, ...] = _PAIRS,
    has_conditionals: bool = False,
) -> Lexer:
    flags = re.DOTALL | re.MULTILINE
    found = re.compile(tokens, flags), re.compile(unsure, flags)
    return Lexer(*found, style, pairs, has_conditionals)


_IN_SCRIPT = _lexer(_SCRIPT)
LEXERS = {
    "python": _lexer(
        rf"{_HASH}|{_TRIPLE}|{_DART_TRIPLE}|{_QUOTED}|{_CHARACTERS}", BlockStyle.INDENTED
    ),
    "javascript": _IN_SCRIPT,
    "typescript": _IN_SCRIPT,
    "tsx": _IN_SCRIPT,
    "go": _lexer(f"{_C_LIKE}|{_BACKQUOTED}"),
    "java": _lexer(f"{_COMMENTS}|{_TRIPLE}|{_QUOTED}|{_CHARACTERS}"),
    "rust": _lexer(rf"{_COMMENTS}|{_RUST_RAW}|\"(?:\\.|[^\"\\])*+\"|{_LIFETIMES}"),
    "c": _lexer(_C_LIKE, has_conditionals=True),
    "cpp": _lexer(f"{_CPP_RAW}|{_C_LIKE}", has_conditionals=True),
    "csharp": _lexer(f"{_COMMENTS}|{_SHARP_RAW}|{_QUOTED}|{_CHARACTERS}", has_conditionals=True),
    "php": _lexer(
        rf"(?://|#(?!\[))(?:(?!\?>)[^\n])*|/\*.*?\*/|<<<[ \t]*{_HERE}"
        r"|\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'",
        unsure=rf"{_UNSURE}|\?>|<\?|<<<",
    ),
    "kotlin": _lexer(f"{_COMMENTS}|{_RAW_TRIPLE}|{_QUOTED}|{_CHARACTERS}|`[^`\n]*`"),
    "swift": _lexer(
        f"{_COMMENTS}|{_SWIFT_RAW}|{_TRIPLE}|{_QUOTED}|`[^`\n]*`", has_conditionals=True
    ),
    "scala": _lexer(f"{_COMMENTS}|{_RAW_TRIPLE}|{_QUOTED}|{_LIFETIMES}|`[^`\n]*`"),
    "dart": _lexer(f"{_COMMENTS}|{_TRIPLE}|{_DART_TRIPLE}|{_QUOTED}|{_CHARACTERS}"),
    "zig": _lexer(rf"//[^\n]*|\\\\[^\n]*|{_QUOTED}|{_CHARACTERS}"),
    "solidity": _lexer(_C_LIKE),
    "hcl": _lexer(rf"{_HASH}|{_COMMENTS}|<<-?{_HERE}|{_QUOTED}", unsure=_HERE_UNSURE),
    "css": _lexer(rf"/\*.*?\*/|{_QUOTED}|{_CHARACTERS}"),
    "nix": _lexer(rf"{_HASH}|/\*.*?\*/|''(?:''[$'\\]|(?!'').)*''|{_QUOTED}"),
    "bash": _lexer(
        rf"\\.|(?:^|(?<=[\s;&|(])){_HASH}|\$'(?:\\.|[^'\\])*+'|<<-?[ \t]*{_HERE}"
        r"|\"(?:\\.|[^\"\\])*+\"|'[^']*'",
        unsure=r"[\"'`]|<<",
        pairs=_PAIRS[:1],
    ),
    "ruby": _lexer(
        rf"^=begin\b.*?^=end\b[^\n]*|<<[~-]?{_HERE}|{_HASH}|{_PERCENT}|\?[\"'`#](?!\w)"
        rf"|{_QUOTED}|{_CHARACTERS}|`[^`\n]*`",
        BlockStyle.END,
        rf"{_HERE_UNSURE}|^=(?:begin|end)\b|^__END__",
    ),
    "elixir": _lexer(
        rf"{_TRIPLE}|{_DART_TRIPLE}|\?\\?.|{_HASH}|{_QUOTED}|{_CHARACTERS}", BlockStyle.DO_END
    ),
    "lua": _lexer(
        rf"--(?:\[(?P<dashes>=*)\[.*?\](?P=dashes)\]|[^\n]*)|{_LUA_LONG}|{_QUOTED}|{_CHARACTERS}",
        BlockStyle.END,
    ),
    "haskell": _lexer(
        rf"--[^\n]*|\{{-(?:(?!\{{-).)*?-\}}|[^\W\d][\w']*+|{_QUOTED}|'(?:\\[^'\n]+|[^\\'\n])'",
        BlockStyle.PIECES,
        r"[\"']|\{-|-\}",
    ),
}
