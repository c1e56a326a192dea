"""Steps that build on each other: a later one speaks of what an earlier one made.

Clauses speak of the document as it is. Where that makes no sense, the instruction is cut in two,
and what follows is read over the document the first part leaves; it must speak of what that made.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.errors import CannotApply, NodeNotFound
from redline.instruct.language.tokens import Token, tokenize
from redline.instruct.language.words import SCOPING
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.merging import follow_up, made_by
from redline.instruct.model.operations import Path, apply_operations
from redline.instruct.readings import InstructionMeaning, decide, understand

MAX_STAGES = 3
MAX_NODES = 20_000
_MAX_CUTS = 6
_JOINTS = frozenset(", ; . \n and then".split(" "))
_LEADS = frozenset(", ; . \n and then also afterwards finally next".split(" "))
_MAKING = frozenset(
    "add copy duplicate clone rename move create make put introduce insert append relocate nest "
    "store define place extract lift hoist renaming adding".split()
)


def read_stages(tree: DocumentTree, instruction: str) -> InstructionMeaning | None:
    """Return what the steps of an instruction do one after another, if each is certain."""
    if len(tree.values) > MAX_NODES:
        return None
    return _read(tree, instruction, (), MAX_STAGES)


def _read(
    tree: DocumentTree, text: str, made: tuple[int, ...], stages: int
) -> InstructionMeaning | None:
    for left, right in _cuts(text):
        first, _ = decide(understand(tree, left, made=made))
        if first is None or not first.operations:
            continue
        paths = [path for o in first.operations if (path := made_by(o)) is not None]
        if not paths:
            continue
        found = _read_rest(tree, first, paths, (left, right), stages)
        if found is not None:
            return found
    return None


def _read_rest(
    tree: DocumentTree,
    first: InstructionMeaning,
    paths: list[Path],
    parts: tuple[str, str],
    stages: int,
) -> InstructionMeaning | None:
    """Return the whole meaning when what follows the first step is certain too."""
    try:
        between = apply_operations(tree.document, first.operations)
    except (CannotApply, NodeNotFound):
        return None
    after = DocumentTree(between, tree.budget)
    nodes = tuple(node for path in paths if (node := after.node_at(path)) is not None)
    left, right = parts
    then, _ = decide(understand(after, right.rstrip(" .!").removesuffix(" there"), made=nodes))
    if then is None and stages > 1:
        then = _read(after, right, nodes, stages - 1)
    tree.budget = after.budget
    if then is None or not then.operations:
        return None
    inside = [any(o.path[: len(p)] == p for p in paths) for o in then.operations]
    if not any(inside) or (_is_scoped(left) and not all(inside)):
        return None
    wanted = apply_operations(between, then.operations)
    merged = follow_up(tree.document, first.operations, then.operations, wanted)
    return InstructionMeaning(merged, first.cost + then.cost) if merged else None


def _is_scoped(text: str) -> bool:
    """Return whether a part begins with where it applies, which what follows may share."""
    lows = [token.low for token in tokenize(text)]
    return ":" in lows or any(low in SCOPING for low in lows[:1])


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the two parts of an instruction at each joint behind a step that makes something."""
    tokens = tokenize(text)
    cuts = 0
    place = 0
    while place < len(tokens):
        if tokens[place].low not in _JOINTS:
            place += 1
            continue
        start, end = place, place
        while end < len(tokens) and tokens[end].low in _LEADS:
            end += 1
        place = end
        if start and end < len(tokens) and any(t.low in _MAKING for t in tokens[:start]):
            cuts += 1
            if cuts > _MAX_CUTS:
                return
            yield _text(text, tokens[:start]), _text(text, tokens[end:])


def _text(text: str, tokens: tuple[Token, ...]) -> str:
    return text[tokens[0].start : tokens[-1].end]
