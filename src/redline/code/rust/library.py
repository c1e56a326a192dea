"""What the methods of Rust's own types give, as far as it leads to types of ours."""

from __future__ import annotations

from redline.code.references.typed.types import OPEN, Shape

_LISTS = {"Vec", "slice", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "LinkedList"}
_MAPS = {"HashMap", "BTreeMap"}
_CELLS = {"RefCell", "Mutex", "RwLock", "OnceCell", "OnceLock", "Cell"}
_MAYBE = {"Option", "Result"}

_HELD = {
    *("unwrap", "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "insert"),
    *("get_or_insert_with", "get_or_insert", "unwrap_unchecked"),
}
_MAYBE_SAME = {
    *("as_ref", "as_mut", "as_deref", "as_deref_mut", "clone", "cloned", "copied", "take"),
    *("filter", "or", "or_else", "replace", "map_err"),
}
_ONE_OF_LIST = {
    *("first", "last", "get", "get_mut", "pop", "pop_front", "pop_back", "first_mut", "last_mut"),
    *("front", "back", "front_mut", "back_mut", "take", "peek"),
}
_THROUGH_LIST = {"iter", "iter_mut", "into_iter", "drain"}
_LIST_SAME = {
    *("clone", "to_vec", "as_slice", "as_mut_slice", "to_owned", "as_ref", "as_mut", "into_boxed"),
    *("into_vec", "borrow", "borrow_mut"),
}
_ONE_OF_ALL = {
    *("next", "last", "nth", "min", "max", "min_by", "max_by", "min_by_key", "max_by_key", "find"),
    *("reduce", "next_back", "peek", "peek_mut", "next_if"),
}
_ALL_SAME = {
    *("filter", "rev", "skip", "take", "chain", "cloned", "copied", "by_ref", "peekable"),
    *("skip_while", "take_while", "inspect", "step_by", "fuse", "into_iter", "iter", "cycle"),
    *("clone", "iter_mut"),
}
_SAME = {"clone", "to_owned", "as_ref", "as_mut", "borrow", "borrow_mut", "deref", "deref_mut"}
_MAKING = {"default", "from", "from_iter", "clone"}
_OWN_MAKING = {"new", "with_capacity"}
_TRYING = {"try_from", "from_str"}


def maybe(shape: Shape) -> Shape:
    """An `Option` of something."""
    return Shape("Option", (shape,))


def every(shape: Shape) -> Shape:
    """An iterator over something."""
    return Shape("Iter", (shape,))


def part(shape: Shape, nth: int = 0) -> Shape:
    """What a type is made of; open where that is not said."""
    return shape.parts[nth] if nth < len(shape.parts) else OPEN


def tried(shape: Shape) -> Shape:
    """What `?` leaves of a value."""
    return part(shape) if isinstance(shape.head, str) else OPEN


def made(shape: Shape, function: str) -> Shape:
    """What a function of the library's traits, or of its own types, makes of a type."""
    if function in _TRYING:
        return Shape("Result", (shape, OPEN))
    is_ours = not isinstance(shape.head, str)
    return shape if function in (_MAKING if is_ours else _MAKING | _OWN_MAKING) else OPEN


def called(shape: Shape) -> Shape:
    """What calling a value gives."""
    return part(shape) if shape.head == "Fn" else OPEN


def iterated(shape: Shape) -> Shape:
    """What a loop over a value goes through."""
    if shape.head in _MAPS:
        return Shape("tuple", (part(shape), part(shape, 1)))
    if shape.head in _LISTS or shape.head in ("Iter", "Option"):
        return part(shape)
    return OPEN


def indexed(shape: Shape) -> Shape:
    """What stands at an index."""
    if shape.head in _MAPS:
        return part(shape, 1)
    return part(shape) if shape.head in _LISTS else OPEN


def given(shape: Shape, method: str, nth: int) -> Shape:
    """What a closure that is passed to a method gets."""
    if shape.head == "Result" and method in ("map_err", "unwrap_or_else", "or_else", "inspect_err"):
        return part(shape, 1)
    if method in ("fold", "try_fold", "scan"):
        return part(shape) if nth == 1 else OPEN
    if shape.head in _MAPS:
        return part(shape, nth)
    if shape.head in _MAYBE or shape.head in _LISTS or shape.head == "Iter":
        return part(shape)
    return OPEN


def result(shape: Shape, method: str, passed: Shape) -> Shape:
    """What a method of a library's type gives; *passed* is what its first argument is or gives."""
    head = shape.head
    if head in _MAYBE:
        return _of_maybe(shape, method, passed)
    if head == "Iter":
        return _of_all(shape, method, passed)
    if head in _LISTS:
        return _of_list(shape, method)
    if head in _MAPS:
        return _of_map(shape, method)
    if head in _CELLS:
        return _of_cell(shape, method)
    if head == "Entry":
        is_value = method.startswith("or_")
        return part(shape, 1) if is_value else shape if method == "and_modify" else OPEN
    return shape if method in _SAME else OPEN


def _of_maybe(shape: Shape, method: str, passed: Shape) -> Shape:
    if method in _HELD:
        return part(shape)
    if method in _MAYBE_SAME:
        return shape
    if method in ("ok", "err"):
        return maybe(part(shape, method == "err"))
    if method in ("ok_or", "ok_or_else"):
        return Shape("Result", (part(shape), OPEN))
    if method == "unwrap_err":
        return part(shape, 1)
    if method == "map":
        return Shape(shape.head, (passed, *shape.parts[1:]))
    if method in ("and_then", "map_or", "map_or_else"):
        return passed
    return every(part(shape)) if method in _THROUGH_LIST else OPEN


def _of_list(shape: Shape, method: str) -> Shape:
    if method in _ONE_OF_LIST:
        return maybe(part(shape))
    if method in _THROUGH_LIST:
        return every(part(shape))
    if method in _LIST_SAME:
        return shape
    if method in ("chunks", "windows", "chunks_exact", "split"):
        return every(shape)
    return part(shape) if method in ("remove", "swap_remove") else OPEN


def _of_map(shape: Shape, method: str) -> Shape:
    if method in ("get", "get_mut", "remove", "insert"):
        return maybe(part(shape, 1))
    if method in _THROUGH_LIST:
        return every(iterated(shape))
    if method in ("values", "values_mut", "into_values"):
        return every(part(shape, 1))
    if method in ("keys", "into_keys"):
        return every(part(shape))
    if method == "entry":
        return Shape("Entry", shape.parts)
    return shape if method in _SAME else OPEN


def _of_cell(shape: Shape, method: str) -> Shape:
    if method in ("lock", "read", "write", "try_lock", "try_borrow", "into_inner"):
        return Shape("Result", shape.parts)
    if shape.head in ("OnceCell", "OnceLock") and method in ("get", "get_mut"):
        return maybe(part(shape))
    return part(shape)


def _of_all(shape: Shape, method: str, passed: Shape) -> Shape:
    item = part(shape)
    if method in _ONE_OF_ALL:
        return maybe(item)
    if method in _ALL_SAME:
        return shape
    if method == "enumerate":
        return every(Shape("tuple", (Shape("usize"), item)))
    if method == "zip":
        return every(Shape("tuple", (item, iterated(passed))))
    if method == "map":
        return every(passed)
    if method == "filter_map":
        return every(part(passed))
    if method in ("flat_map", "flatten"):
        return every(iterated(passed if method == "flat_map" else item))
    return passed if method == "fold" else OPEN
