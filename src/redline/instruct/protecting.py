"""What an instruction says must stay as it is, held against what it would change."""

from __future__ import annotations

from redline.instruct.effects.outcome import Unclear
from redline.instruct.grammar.sentences import Reading
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.operations import DocumentOperation


def spare_protected(
    tree: DocumentTree, reading: Reading, operations: tuple[DocumentOperation, ...]
) -> tuple[DocumentOperation, ...]:
    """Return what is left of a change of many when some must stay: `all, but leave X alone`.

    Refuse one that touches what must stay.
    """
    kept = [tree.path(node) for node in reading.protected]
    targets = [clause.role("target") or clause.role("owner") for clause in reading.clauses]
    many = all(target is not None and target.quantified for target in targets)
    if kept and not many:
        _check_protected(tree, reading, operations)
    if not kept or not many:
        return operations
    spared = [o for o in operations if not any(o.path[: len(held)] == held for held in kept)]
    operations = tuple(spared) if spared else operations
    _check_protected(tree, reading, operations)
    return operations


def _check_protected(
    tree: DocumentTree, reading: Reading, operations: tuple[DocumentOperation, ...]
) -> None:
    """Refuse a result that touches what the instruction says must stay."""
    kept = [tree.path(node) for node in reading.protected]
    for operation in operations:
        for path in (operation.path, operation.new_path or operation.path):
            for held in kept:
                if path[: len(held)] == held or held[: len(path)] == path:
                    refusal = Unclear("several", "it would change what is to stay as it is")
                    refusal.conflict = True
                    raise refusal
