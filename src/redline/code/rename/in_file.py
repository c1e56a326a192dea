"""Plan a rename in one file: by scope where scopes are known, otherwise by word if certain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from redline.code.python_js.members import FileClasses, NoClass
from redline.code.rename.new_names import refuse_new_name
from redline.code.rename.refusals import (
    EVERYWHERE,
    refuse_class_shadow,
    refuse_constructor_fields,
    refuse_family,
    refuse_lines,
    refuse_mixed,
    refuse_unknown,
    refuse_unresolved,
)
from redline.code.rename.targets import owner_of, target_of
from redline.code.rename.words import certain_uses
from redline.code.scopes.model import (
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Names,
    Occurrence,
    Scope,
)
from redline.code.scopes.read import SCOPED, read_names
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.node import Span, SyntaxNode, parent_of, required_field, span_of
from redline.code.syntax.uses import Use, nodes_of, uses_of
from redline.core.errors import InvalidArgument
from redline.core.records import dataclass


def labels_of(names: Names, classes: FileClasses, binding: Binding) -> list[Member]:
    """Return the keyword arguments with which calls of its function pass a parameter."""
    certain: list[Member] = []
    unknown: list[Member] = []
    for member in names.members:
        if member.name != binding.name or member.form != MemberUse.LABEL:
            continue
        is_own = _calls_function(names, classes, member, binding)
        if is_own is None:
            unknown.append(member)
        elif is_own:
            certain.append(member)
    if unknown:
        refuse_unknown(binding.name, unknown)
    return certain


def _calls_function(
    names: Names, classes: FileClasses, label: Member, binding: Binding
) -> bool | None:
    """Return whether a label is in a call of the parameter's function; None if uncertain."""
    callee = label.owner
    if callee is None:
        return False
    function = binding.scope.owner
    plain = function is not None and len(function.sites) == 1 and not _is_decorated(binding.scope)
    if callee.kind() == "identifier":
        return _calls_name(names, classes, callee, binding, plain)
    if callee.kind() != "attribute":
        return None
    return _calls_member(classes, label, binding, plain)


def _calls_name(
    names: Names, classes: FileClasses, callee: SyntaxNode, binding: Binding, plain: bool
) -> bool | None:
    occurrence = names.at(callee)
    known = occurrence.binding if occurrence is not None else None
    if known is None or known.roles <= {BindingRole.IMPORT}:
        return False
    method = _class_around(classes, binding)
    if known is binding.scope.owner and method is None:
        return True if plain else None
    called = classes.class_of(known)
    if called is None:
        return False if known.roles <= {BindingRole.FUNCTION} else None
    constructor = classes.owner(called, "__init__")
    if binding.scope.name != "__init__" or constructor is not method:
        return False
    return True if plain and constructor is called else None


def _calls_member(
    classes: FileClasses, label: Member, binding: Binding, plain: bool
) -> bool | None:
    assert label.owner is not None
    word = required_field(label.owner, "attribute").text()
    if word != binding.scope.name:
        return False
    found = classes.class_of_value(label.owner.field("object"), label.scope)
    if not isinstance(found, Scope):
        return False if found == NoClass.OTHER else None
    if classes.owner(found, word) is not _class_around(classes, binding):
        return False
    return True if plain else None


def _class_around(classes: FileClasses, binding: Binding) -> Scope | None:
    parent = binding.scope.parent
    return parent if parent in classes.defined else None


def _is_decorated(scope: Scope) -> bool:
    parent = scope.node.parent()
    return parent is not None and parent.kind() == "decorated_definition"


# Names whose meaning the language defines.
_LANGUAGE = frozenset(
    """
    exports module require arguments prototype constructor undefined __init__ __name__ __class__
    __file__ __all__ super
    """.split()
)
NameUse: TypeAlias = Occurrence | Member


def names_of(parsed: Parsed) -> Names:
    """Return the names of a file in a language with known scopes; refuse one with errors."""
    broken = syntax_issues(parsed)
    if broken:
        raise InvalidArgument(
            f"The file does not parse at line {broken[0].line}, so its scopes are unknown",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    return read_names(parsed)


def scoped_uses(parsed: Parsed, old: str, name: str, lines: range | None) -> list[NameUse]:
    """Return every use to rename; raise InvalidArgument if one is uncertain."""
    names = names_of(parsed)
    classes = FileClasses.of(names, script=parsed.language.name != "python")
    target = target_of(names, classes, old, name, lines)
    if target is None:
        return _undefined_uses(names, old, name)
    if target.owner is not None:
        return _member_uses(names, classes, target.owner, name)
    assert target.binding is not None
    return _binding_uses(names, classes, target.binding)


def _undefined_uses(names: Names, old: str, name: str) -> list[NameUse]:
    """Return the uses of a name that the file does not define: plain ones, or of one value."""
    if name in _LANGUAGE:
        raise InvalidArgument(
            f"A name that the language gives its meaning: {name}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    plain = [use for use in names.occurrences if use.name == name and use.binding is None]
    if plain:
        refuse_unresolved(names, name)
        if len({use.meaning for use in plain}) > 1:
            refuse_lines(name, {use.line for use in plain})
        return list(plain)
    members = [member for member in names.members if member.name == name]
    owners = {m.owner.text() if m.owner is not None else None for m in members}
    kinds = {(m.kind, m.form, m.owner.kind() if m.owner is not None else "") for m in members}
    simple = {(kind, MemberUse.ACCESS, "identifier") for kind, *_ in kinds}
    if len(owners) != 1 or len(kinds) != 1 or kinds != simple:
        refuse_unknown(name, members, old)
    return list(members)


def _member_uses(names: Names, classes: FileClasses, owner: Scope, name: str) -> list[NameUse]:
    refuse_family(classes, owner, name)
    uses: list[NameUse] = []
    defined = [d for d in classes.defined[owner].get(name, ()) if isinstance(d, Member)]
    if classes.script and len({member.form for member in defined}) > 1:
        refuse_unknown(name, defined)  # a method that is reassigned is two symbols
    unknown: list[Member] = []
    for member in (m for m in names.members if m.name == name):
        found = owner_of(classes, member)
        if found is owner:
            uses.append(member)
        elif found == NoClass.UNKNOWN or (member.form == MemberUse.KEY and classes.script):
            unknown.append(member)
    if unknown:
        refuse_unknown(name, unknown)
    if classes.script and len({classes.is_static(m) for m in uses if isinstance(m, Member)}) > 1:
        refuse_lines(name, {use.line for use in uses})
    refuse_class_shadow(classes, name)
    if not classes.script:
        uses += owner.names[name].uses if name in owner.names else []
    refuse_constructor_fields(names, classes, name)
    return uses


def _binding_uses(names: Names, classes: FileClasses, binding: Binding) -> list[NameUse]:
    if BindingRole.DOTTED_IMPORT in binding.roles:
        raise InvalidArgument(
            f"{binding.name} is the first word of a dotted import: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    if binding.roles & {BindingRole.FIELD, BindingRole.ENUM_MEMBER}:
        raise InvalidArgument(
            f"{binding.name} is a member as well: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    refuse_mixed(names, classes, binding)
    uses: list[NameUse] = list(binding.uses)
    if BindingRole.PARAMETER in binding.roles and not classes.script:
        uses += labels_of(names, classes, binding)
    return uses


_NAME = re.compile(r"([.#]?)(-?[^\W\d][\w-]*|--[\w-]+)")
# Also `:hover` has its name in a node of the kind `class_name`.
_SELECTORS = {"class_selector": ".", "id_selector": "#"}
_SELECTED = ("class_name", "id_name")
_CUSTOM = ("property_name", "plain_value", "keyword_query")
_SHOWN = {".": "a class", "#": "an id", "": "a custom property"}


class CssRename(NamedTuple):
    """The spans to replace, and the new name."""

    spans: list[Span]
    new: str


def find_css_rename(
    parsed: Parsed, old: str, new: str, *, lines: range | None, everywhere: bool
) -> CssRename:
    """Return what renames *old* to *new*; raise InvalidArgument if it is uncertain what is meant.

    `.name` is a class, `#name` an id, `--name` a custom property. A bare name is a class or an id.
    """
    (mark, word), (new_mark, fresh) = _read(old), _read(new)
    if (new_mark and new_mark != mark) or word.startswith("--") != fresh.startswith("--"):
        raise InvalidArgument(
            f"A rename does not make {_shown(mark, word)} {_shown(new_mark, fresh)}: {new}",
            field="edit_instruction",
        )
    uses = _uses(parsed, mark, word)
    if not uses:
        raise InvalidArgument(
            f"No class, id or custom property of the file has the name: {old}",
            field="edit_instruction",
            hint="say .name for a class, #name for an id, --name for a custom property; other "
            "names and those in strings and comments are not renamed: use a replace for those",
        )
    chosen = [use for use in uses if lines is None or use.line in lines] or uses
    marks = {use.mark for use in (uses if everywhere else chosen)}
    if len(marks) > 1 and not everywhere:
        raise InvalidArgument(
            f"A class and an id have the name: {word}",
            field="edit_instruction",
            hint=f"say .{word} or #{word}",
            details={"lines": sorted({use.line for use in uses})},
        )
    for use in _uses(parsed, new_mark, fresh):
        if use.mark in marks:
            raise InvalidArgument(
                f"The name is already used on line {use.line}: {fresh}",
                field="edit_instruction",
                hint="choose another name; renaming would merge two symbols",
            )
    return CssRename([use.span for use in uses if use.mark in marks], fresh)


def _shown(mark: str, word: str) -> str:
    return _SHOWN[mark] if mark or word.startswith("--") else "a class or an id"


def _read(name: str) -> tuple[str, str]:
    """Return the mark of a name, or nothing, and the name without it."""
    found = _NAME.fullmatch(name.strip())
    if found is None or (found[1] and found[2].startswith("--")):
        raise InvalidArgument(
            f"Not a name: {name}",
            field="edit_instruction",
            hint="say .name for a class, #name for an id, --name for a custom property",
        )
    return found[1], found[2]


class _CssUse(NamedTuple):
    mark: str
    line: int
    span: Span


def _uses(parsed: Parsed, mark: str, word: str) -> list[_CssUse]:
    """Return the uses of a name as what *mark* says, or as anything."""
    is_custom = word.startswith("--")
    found: list[_CssUse] = []
    for node in nodes_of(parsed, word, _CUSTOM if is_custom else _SELECTED):
        own = "" if is_custom else _SELECTORS.get(parent_of(node).kind())
        if own is not None and mark in ("", own):
            found.append(_CssUse(own, node.range().start.line + 1, span_of(node)))
    return found


_SHORTHAND = {
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
}
_MEMBERS = {"property_identifier", "private_property_identifier"}
_FIELD = "edit_instruction"
_A_NAME = re.compile(r"[^\W\d][\w$]*[?!]?|[$#@][\w$]+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replace characters [start, end) with `text`."""

    start: int
    end: int
    text: str


def plan_rename(
    parsed: Parsed, old: str, new: str, *, lines: range | None = None, everywhere: bool = False
) -> list[Replacement]:
    """Return the replacements that rename *old* to *new* wherever it refers to the same symbol.

    *old* may be qualified, and *lines* may select a use. *everywhere* renames every occurrence
    of the word as code. Raise InvalidArgument if the file does not use the name, if it is
    uncertain which uses are meant, or if *new* is in use.
    """
    if parsed.language.name == "css":
        spans, fresh = find_css_rename(parsed, old, new, lines=lines, everywhere=everywhere)
        return [Replacement(*span, fresh) for span in spans]
    name, fresh = last_word(old), last_word(new)
    if not _A_NAME.fullmatch(fresh):
        raise InvalidArgument(f"Not a name: {new}", field=_FIELD)
    uses = [use for use in uses_of(parsed, name) if everywhere or not use.is_label]
    if not uses:
        raise InvalidArgument(
            f"The file does not use the name: {name}",
            field=_FIELD,
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    if everywhere:
        chosen: Iterable[Use | NameUse] = uses
    elif parsed.language.name in SCOPED:
        found = scoped_uses(parsed, old, name, lines)
        chosen = {use.start: use for use in found}.values()
    else:
        chosen = certain_uses(parsed, old, name, uses, lines)
        if not chosen:
            refuse_lines(name, [use.line for use in uses])
    is_member = all(use.kind in _MEMBERS for use in chosen)
    refuse_new_name(fresh, parsed.language, _FIELD, is_member=is_member)
    _refuse_used_name(parsed, fresh)
    return [_replacement(parsed, use, name, fresh, everywhere) for use in chosen]


def last_word(name: str) -> str:
    """Return a name without the names of what it is in."""
    return re.split(r"\.|::|#(?=.)(?<=.#)|->", name.strip())[-1]


def _refuse_used_name(parsed: Parsed, fresh: str) -> None:
    """Refuse a new name that the file uses already: two symbols would become one."""
    for use in uses_of(parsed, fresh):
        raise InvalidArgument(
            f"The name is already used on line {use.line}: {fresh}",
            field=_FIELD,
            hint="choose another name; renaming would merge two symbols",
        )


def _replacement(
    parsed: Parsed, use: Use | NameUse, name: str, fresh: str, everywhere: bool
) -> Replacement:
    shorthand = use.kind in _SHORTHAND and not everywhere
    if shorthand or (not everywhere and _rust_shorthand(parsed, use)):
        return Replacement(use.start, use.end, f"{name}: {fresh}")
    return Replacement(use.start, use.end, fresh)


def _rust_shorthand(parsed: Parsed, use: Use | NameUse) -> bool:
    if parsed.language.name != "rust":
        return False
    found = parsed.root.find_all(kind="shorthand_field_initializer")
    return any(node.range().start.index == use.start for node in found)


def apply_replacements(text: str, replacements: list[Replacement]) -> str:
    """Return *text* with all replacements applied; they must not overlap."""
    return "".join(_pieces(text, replacements))


def _pieces(text: str, replacements: list[Replacement]) -> Iterator[str]:
    position = 0
    for item in sorted(replacements, key=lambda r: r.start):
        yield text[position : item.start]
        yield item.text
        position = item.end
    yield text[position:]
