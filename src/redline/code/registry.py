"""Registry of reference resolvers by language."""

from __future__ import annotations

from importlib import import_module

from redline.code.references.file_access import Files
from redline.code.references.resolver import Resolver

# Languages with declared types: the module and class that finds their references.
_TYPED: dict[str, tuple[str, str]] = {
    "c": ("redline.code.c.resolver", "CReferring"),
    "java": ("redline.code.java.resolver", "JavaReferring"),
    "go": ("redline.code.go.resolver", "GoReferring"),
    "rust": ("redline.code.rust.resolver", "RustReferring"),
}
TYPED = frozenset(_TYPED)
# All whose references are told apart, by the language that stands for its kin.
TOLD_APART = {"python", "javascript", *_TYPED}


def resolver_of(kin: str, name: str, files: Files, *, made_only: bool = False) -> Resolver | None:
    """What finds references to *name* in a language and its kin; None where names are all."""
    if kin in _TYPED:
        module, kind = _TYPED[kin]
        made: Resolver = getattr(import_module(module), kind)(name, files)
        return made
    if kin not in TOLD_APART:
        return None
    from redline.code.python_js.resolver import PythonJsResolver

    return PythonJsResolver.to(name, files, made_only=made_only)
