"""Write a new name, and refuse one that a language cannot have.

Grammars alone refuse no keyword: several of them read `int for = 1` without an error.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence

from redline.code.syntax.languages import Language, language_group
from redline.core.errors import InvalidArgument

# How a field in a pattern of Rust may be bound, before its name.
_BINDING = re.compile(r"\b(?:ref\s+mut|ref|mut)\s+\Z")
# Kinds of nodes, or of their parents, that name a field and a variable with one word.
_SHORTHAND = frozenset(
    """
    shorthand_property_identifier shorthand_property_identifier_pattern
    shorthand_field_initializer shorthand_field_identifier
    """.split()
)


def is_shorthand(kind: str, parent: str) -> bool:
    """Return whether a word names both, by the kinds of its node and of the node's parent."""
    return kind in _SHORTHAND or parent in _SHORTHAND


def write_name(
    text: str, starts: Sequence[int], old: str, new: str, short: set[int], keys: set[int]
) -> str:
    """Return *text* with the new name at *starts*; of a word in *short* only one is renamed.

    That is the key, if it is among *keys*, or else the variable.
    """
    return "".join(_pieces(text, starts, old, new, short, keys))


def _pieces(
    text: str, starts: Sequence[int], old: str, new: str, short: set[int], keys: set[int]
) -> Iterator[str]:
    end = 0
    for start in starts:
        if start not in short:
            yield text[end:start] + new
        elif start in keys:
            begun = _BINDING.search(text, end, start)
            first = begun.start() if begun is not None else start
            yield f"{text[end:first]}{new}: {text[first:start]}{old}"
        else:
            yield f"{text[end:start]}{old}: {new}"
        end = start + len(old)
    yield text[end:]


_C = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while
"""
_CPP = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept
    const const_cast constexpr continue decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor xor_eq
"""
_GO = """
    break case chan const continue default defer else fallthrough for func go goto if import
    interface map package range return select struct switch type var
"""
_JAVA = """
    _ abstract assert boolean break byte case catch char class const continue default do double
    else enum extends false final finally float for goto if implements import instanceof int
    interface long native new null package private protected public return short static strictfp
    super switch synchronized this throw throws transient true try void volatile while
"""
_JAVASCRIPT = """
    break case catch class const continue debugger default delete do else enum export extends false
    finally for function if import in instanceof new null return super switch this throw true try
    typeof var void while with
"""
_RUST = """
    Self abstract as async await become box break const continue crate do dyn else enum extern
    false final fn for if impl in let loop macro match mod move mut override priv pub ref return
    self static struct super trait true try type typeof unsafe unsized use virtual where while yield
"""
_KEYWORDS = {
    "c": frozenset(_C.split()),
    "cpp": frozenset(_CPP.split()),
    "go": frozenset(_GO.split()),
    "java": frozenset(_JAVA.split()),
    "javascript": frozenset(_JAVASCRIPT.split()),
    "python": frozenset(keyword.kwlist),
    "rust": frozenset(_RUST.split()),
}
# Languages whose names have letters, digits and underscores only.
_PLAIN = frozenset({"python", "go", "rust"})


def refuse_new_name(new: str, language: Language, field: str, *, is_member: bool) -> None:
    """Refuse *new* if nothing in *language* can have it; InvalidArgument names the *field*."""
    group = language_group(language.name)
    words = _KEYWORDS.get(language.name) or _KEYWORDS.get(group) or frozenset()
    # A member of a script may be called anything: `map.delete(key)`.
    is_free = is_member and group == "javascript"
    if new in words and not is_free:
        raise InvalidArgument(
            f"It is a keyword of {language.name}: {new}",
            field=field,
            hint=f"choose another name, such as {new}_" if new != "_" else "choose another name",
        )
    if language.name in _PLAIN and not new.isidentifier():
        raise InvalidArgument(
            f"Not a name in {language.name}: {new}",
            field=field,
            hint="use letters, digits and underscores, and no digit first",
        )
