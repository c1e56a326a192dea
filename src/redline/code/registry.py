"""Registry of reference resolvers by language."""

from __future__ import annotations

from importlib import import_module

from redline.code.references.file_access import SourceFiles
from redline.code.references.resolver import ReferenceResolver
from redline.code.references.typed.base import TypedResolver

# Languages with declared types: the module and class of their resolver.
_TYPED: dict[str, tuple[str, str]] = {
    "c": ("redline.code.c.resolver", "CResolver"),
    "java": ("redline.code.java.resolver", "JavaResolver"),
    "go": ("redline.code.go.resolver", "GoResolver"),
    "rust": ("redline.code.rust.resolver", "RustResolver"),
}
TYPED_LANGUAGES = frozenset(_TYPED)
# All language groups whose references are resolved, by the language that names the group.
RESOLVED_LANGUAGES = frozenset({"python", "javascript", *_TYPED})


def resolver_of(
    group: str,
    name: str,
    files: SourceFiles,
    *,
    made_only: bool = False,
    renaming: bool = False,
) -> ReferenceResolver | None:
    """Return a resolver of *name* for a language group; None if names are only matched by text.

    With *made_only* it finds only calls that construct a class of that name; with *renaming* also
    what must be renamed with it: overriding members, and the name as text in `__all__`.
    """
    if group in _TYPED:
        module, class_name = _TYPED[group]
        typed: TypedResolver = getattr(import_module(module), class_name)(name, files)
        typed.renaming = renaming
        return typed
    if group not in RESOLVED_LANGUAGES:
        return None
    from redline.code.python_js.resolver import PythonJsResolver

    return PythonJsResolver.to(name, files, made_only=made_only, renaming=renaming)
