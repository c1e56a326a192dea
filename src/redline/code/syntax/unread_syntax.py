"""Replace what the grammar of TypeScript cannot read, at the same offsets.

That is how a type parameter varies, `<in out T>`, which is blanked, and `using`, read as `const`.
"""

from __future__ import annotations

import re

from redline.code.syntax.languages import Language
from redline.code.syntax.node import Span, SyntaxNode, span_of

_TYPED = frozenset({"typescript", "tsx"})
# A type parameter may itself be called `out`.
_MODIFIERS = re.compile(
    r"(?<=[<,\s])(?:in\s+out|in|out)(?=\s+(?!extends\b)[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"
)
_USING = re.compile(
    r"^[ \t]*(?:for\s+(?:await\s*)?\(\s*)?(await\s+using|using)"
    r"(?=\s+(?!of\b)[A-Za-z_$][\w$]*\s*(?:=|of\b))",
    re.MULTILINE,
)
_TEXTS = ("comment", "string", "template_string", "regex", "jsx_text")


def readable_script(text: str, language: Language, root: SyntaxNode) -> str:
    """Return *text* as the grammar can read it; *root* is the tree of it as it is.

    Nothing is replaced in comments and strings.
    """
    if language.name not in _TYPED:
        return text
    found = [Span(*each.span()) for each in _MODIFIERS.finditer(text)]
    used = [Span(*each.span(1)) for each in _USING.finditer(text)]
    if not used and (not found or root.find(kind="ERROR") is None):
        return text
    texts = [span_of(node) for node in root.find_all(any=[{"kind": kind} for kind in _TEXTS])]
    for start, end in (*found, *used):
        if not any(span.start <= start < span.end for span in texts):
            word = "const" if (start, end) in used else ""
            text = text[:start] + word.rjust(end - start) + text[end:]
    return text
