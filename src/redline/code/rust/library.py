"""Determine what Rust's standard types hold, as far as their type arguments say it."""

from __future__ import annotations

from collections.abc import Sequence

from redline.code.references.typed.types import UNKNOWN_TYPE, Head, Shape

_LISTS = {"Vec", "slice", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "LinkedList"}
_MAPS = {"HashMap", "BTreeMap", "IndexMap"}
_OPTIONS = {"Option", "Result"}

_ONE_OF_LIST = frozenset(
    """
    first last get get_mut pop pop_front pop_back first_mut last_mut front back front_mut back_mut
    take peek
    """.split()
)
_ELEMENT = {"remove", "swap_remove", "get_unchecked", "get_unchecked_mut"}
_ITERATING = {"iter", "iter_mut", "into_iter", "drain"}
# Methods of lists and maps beside those above.
_OWN = (
    _ONE_OF_LIST
    | _ITERATING
    | _ELEMENT
    | frozenset(
        """
    push insert append extend clear len is_empty contains truncate retain reserve swap split_off
    resize push_back push_front keys values entry contains_key new with_capacity capacity sort
    reverse
    """.split()
    )
)
_SAME = {"clone", "to_owned", "as_ref", "as_mut", "borrow", "borrow_mut", "deref", "deref_mut"}
# What some standard types are used like, beside themselves.
_LIKE = {"Vec": "slice", "String": "str"}
# Types of which it is known that they are not used like what they hold.
KNOWN = _LISTS | _MAPS | _OPTIONS | {"Iter", "tuple", "Fn", "Entry", "str", "String", "()"}
# Library types that hold the argument they are constructed with.
_HOLDING = {"Some": "Option", "Ok": "Result"}
_MADE_OF = {"Box", "Rc", "Arc", "Pin", "Cow", "ManuallyDrop"}
LITERALS = {
    **dict.fromkeys(["string_literal", "raw_string_literal"], Shape("str")),
    "integer_literal": Shape("i32"),
    "float_literal": Shape("f64"),
    "boolean_literal": Shape("bool"),
    "char_literal": Shape("char"),
    "binary_expression": UNKNOWN_TYPE,
}
MACROS = {
    "vec": Shape("Vec", (UNKNOWN_TYPE,)),
    "format": Shape("String"),
    "format_args": Shape("Arguments"),
}
# A type of a library that no declaration names: the result of a call in which all else is known.
OUTSIDE = Shape("outside")
_CONSTRUCTORS = {"default", "from", "from_iter", "clone"}
_LIBRARY_CONSTRUCTORS = {"new", "with_capacity"}
_TRY_CONSTRUCTORS = {"try_from", "from_str"}


def holds_argument(words: Sequence[str]) -> bool:
    """Return whether what a path constructs holds the argument, or is used like it."""
    return words[0] in _HOLDING or (len(words) == 2 and words[0] in _MADE_OF)


def holding(words: Sequence[str], argument: Shape) -> Shape:
    """Return what such a path constructs of an argument."""
    if words[0] not in _HOLDING:
        return argument
    parts = (argument,) if words[0] == "Some" else (argument, UNKNOWN_TYPE)
    return Shape(_HOLDING[words[0]], parts)


def has_own(head: Head, method: str) -> bool:
    """Return whether a standard container has a method itself, which no trait's replaces."""
    return head in _LISTS | _MAPS and method in _OWN


def may_reach(head: Head, own: Head) -> bool:
    """Return whether a type that is not the workspace's may have the members of another."""
    if not isinstance(own, str) or not isinstance(head, str):
        return False
    return head not in KNOWN or own in ("?", head, _LIKE.get(head))


def is_outside(shape: Shape) -> bool:
    """Return whether neither a type nor what it holds is the workspace's."""
    if not isinstance(shape.head, str) or shape.head == "?":
        return False
    return all(is_outside(each) for each in shape.parts)


def settled(shape: Shape) -> Shape:
    """Return the type of what keeps a value: what is done with it later may say more."""
    if shape == OUTSIDE:
        return UNKNOWN_TYPE
    return Shape(shape.head, tuple(map(settled, shape.parts)))


def part(shape: Shape, nth: int = 0) -> Shape:
    """Return a type's part by index; unknown if it is not stated."""
    return shape.parts[nth] if nth < len(shape.parts) else UNKNOWN_TYPE


def unwrap_try(shape: Shape) -> Shape:
    """Return the type that `?` leaves of a value."""
    return part(shape) if isinstance(shape.head, str) else UNKNOWN_TYPE


def constructed_type(shape: Shape, function: str) -> Shape:
    """Return what an associated function such as `new` or `default` constructs."""
    if function in _TRY_CONSTRUCTORS:
        return Shape("Result", (shape, UNKNOWN_TYPE))
    is_local = not isinstance(shape.head, str)
    return (
        shape
        if function in (_CONSTRUCTORS if is_local else _CONSTRUCTORS | _LIBRARY_CONSTRUCTORS)
        else UNKNOWN_TYPE
    )


def call_result(shape: Shape) -> Shape:
    """Return the result of calling a value."""
    return part(shape) if shape.head == "Fn" else UNKNOWN_TYPE


def item_type(shape: Shape) -> Shape:
    """Return the item type of a loop over a value."""
    if shape.head in _MAPS:
        return Shape("tuple", (part(shape), part(shape, 1)))
    if shape.head in _LISTS or shape.head in ("Iter", "Option"):
        return part(shape)
    return UNKNOWN_TYPE


def element_type(shape: Shape) -> Shape:
    """Return the type of an indexed element."""
    if shape.head in _MAPS:
        return part(shape, 1)
    return part(shape) if shape.head in _LISTS else UNKNOWN_TYPE


def method_result(shape: Shape, method: str) -> Shape:
    """Return the result of a method of a library's trait: a copy or a view of the value."""
    return shape if method in _SAME else UNKNOWN_TYPE
