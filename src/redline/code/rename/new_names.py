"""Refuse a new name that a language cannot have: a keyword, or one with other characters.

Grammars alone do not: several of them read `int for = 1` without an error.
"""

from __future__ import annotations

import keyword

from redline.code.syntax.languages import Language, language_group
from redline.core.errors import InvalidArgument

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
