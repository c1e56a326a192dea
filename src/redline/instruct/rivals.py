"""Which meanings of an instruction rival the one that is to be acted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.instruct.readings import InstructionMeaning


def rivals_with(other: InstructionMeaning, first: InstructionMeaning) -> bool:
    """Return whether another meaning is as likely as the first.

    One in doubt must be likelier, and is none when it does only a part of what the first does.
    """
    if other.unexplained or other.absent or other.cost > first.cost - bool(other.doubt):
        return False
    if not other.doubt:
        return True
    if _swallows(other, first):
        return False
    done = {(o.op, o.path, repr(o.value)) for o in first.operations}
    return not all((o.op, o.path, repr(o.value)) in done for o in other.operations)


def _swallows(other: InstructionMeaning, first: InstructionMeaning) -> bool:
    """Return whether a doubted meaning takes for a text what the first reads as more changes."""
    texts = {
        (o.op, o.path): o.value for o in first.operations if isinstance(o.value, str) and o.value
    }
    longer = all(
        isinstance(o.value, str) and o.value.startswith(texts.get((o.op, o.path), o.value + "."))
        for o in other.operations
    )
    return longer and len(first.operations) > len(other.operations)
