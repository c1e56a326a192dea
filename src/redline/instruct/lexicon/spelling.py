"""How far two words are apart."""

from __future__ import annotations


def is_slip(left: str, right: str) -> bool:
    """Return whether two words differ by letters swapped, left out or typed twice.

    Another letter in place of one makes another word too often (cost, host) and is no slip.
    """
    if left == right or min(len(left), len(right)) < 4:
        return False
    if len(left) == len(right):
        wrong = [i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and (left[wrong[0]] == right[wrong[1]] and left[wrong[1]] == right[wrong[0]])
        )
    short, long = sorted((left, right), key=len)
    if len(long) != len(short) + 1 or len(short) < 5:
        return False
    return any(long[i].isalpha() and long[:i] + long[i + 1 :] == short for i in range(len(long)))


def is_near(left: str, right: str) -> bool:
    """Return whether two words differ by one typing slip, or two in long words."""
    allowed = 1 if max(len(left), len(right)) < 8 else 2
    if abs(len(left) - len(right)) > allowed or min(len(left), len(right)) < 4:
        return False
    return _distance(left, right) <= allowed


def _distance(left: str, right: str) -> int:
    """Return the number of insertions, deletions, replacements and swaps between two words."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]
