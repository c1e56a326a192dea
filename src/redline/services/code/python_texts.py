"""Types that Python names in quotes and in comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.languages import Language
from redline.services.runtime import Runtime

# Python before 3.6 has no annotations of variables: checkers read types in comments.
_TYPE_COMMENT = re.compile(r"#\s*type:\s*(?!ignore)([^#\n]*)")
SIGNATURE_COMMENT = re.compile(r"#\s*type:\s*\(")


def _call_of(name: str) -> dict[str, object]:
    """A rule: among the arguments of a call of *name*."""
    function = {"field": "function", "regex": rf"^(\w+\.)*{name}$"}
    return {"kind": "argument_list", "inside": {"kind": "call", "has": function}}


# What an alias of a type is written with, which need not say that it is one.
_GENERIC = (
    "Optional|Union|Callable|Type|Tuple|List|Dict|Set|FrozenSet|Sequence|Iterable|Iterator|Mapping"
    "|Generator|Awaitable|Coroutine|ClassVar|Final|type|tuple|list|dict|set|frozenset"
)
# Strings that name types: in annotations, in what is declared a type, and where a call takes one.
_TYPE_RULE = {
    "rule": {
        "kind": "string",
        "any": [
            {"inside": {"kind": "type", "stopBy": "end"}},
            {
                "inside": {
                    "kind": "assignment",
                    "stopBy": "end",
                    "has": {"field": "type", "regex": r"^(\w+\.)*TypeAlias$"},
                }
            },
            {"nthChild": 1, "inside": _call_of("cast")},
            {
                "inside": {
                    "kind": "subscript",
                    "stopBy": "end",
                    "has": {"field": "value", "regex": rf"^(\w+\.)*({_GENERIC})$"},
                }
            },
            {
                "inside": {
                    "kind": "keyword_argument",
                    "has": {"field": "name", "regex": "^bound$"},
                    "inside": _call_of("TypeVar"),
                }
            },
        ],
        "not": {
            "inside": {
                "any": [{"kind": "generic_type"}, {"kind": "subscript"}],
                "stopBy": "end",
                "regex": r"^(\w+\.)*Literal\[",
            }
        },
    }
}


def find_quoted_types(runtime: Runtime, text: str, language: Language, name: str) -> Iterator[int]:
    """Yield the offsets of *name* in the types that a file of Python quotes."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if language.name != "python" or not re.search(rf"['\"][^'\"\n]*{word.pattern}", text):
        return
    for match in runtime.analysis.structural(text, language, _TYPE_RULE, None):
        for found in word.finditer(text, match.start, match.end):
            yield found.start()


def find_commented_types(text: str, language: Language, name: str) -> Iterator[int]:
    """Yield the offsets of *name* in the types that comments of Python state: `# type: Name`."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    for comment in _TYPE_COMMENT.finditer(text) if language.name == "python" else ():
        for found in word.finditer(text, comment.start(1), comment.end(1)):
            yield found.start()
