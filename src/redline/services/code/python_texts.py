"""Symbols that Python names as text: types in quotes, and the keys of a `TypedDict`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.code.syntax.languages import Language
from redline.core.error_families.wording import naming
from redline.core.errors import CannotApply
from redline.core.ports.search import Cancel
from redline.services.code.lookup import CodeLookup
from redline.services.code.namesakes import read_families
from redline.services.code.references import Finder
from redline.services.runtime import Runtime

_MAX_NAMED = 12
_TYPED_DICT = frozenset({"TypedDict"})


def _called(name: str) -> dict[str, object]:
    """A rule: among the arguments of a call of *name*."""
    function = {"field": "function", "regex": rf"^(\w+\.)*{name}$"}
    return {"kind": "argument_list", "inside": {"kind": "call", "has": function}}


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
            {"nthChild": 1, "inside": _called("cast")},
            {
                "inside": {
                    "kind": "keyword_argument",
                    "has": {"field": "name", "regex": "^bound$"},
                    "inside": _called("TypeVar"),
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


def refuse_keys(lookup: CodeLookup, finder: Finder, quoted: list[str], cancel: Cancel) -> None:
    """Refuse the key of a `TypedDict` if code names it as text, as a type checker looks it up."""
    home = finder.definitions[0]
    file = lookup.open(home.path)
    if not quoted or not finder.is_member or file is None or "TypedDict" not in file.text:
        return
    own = [s for s in file.symbols() if s.line == home.line and s.name == finder.name]
    owners = {each.qualified.rpartition(".")[0].rpartition(".")[2] for each in own}
    families = read_families(lookup, home.path.root, "python", cancel)
    if families is None or any(families.derives_from(name, _TYPED_DICT) for name in owners):
        raise CannotApply(
            f"Code may name the key {finder.name} as text: " + ", ".join(quoted[:_MAX_NAMED]),
            hint=naming(
                "rename it with edit or rewrite; {possible: false} renames the definition alone"
            ),
            details={"places": quoted},
        )
