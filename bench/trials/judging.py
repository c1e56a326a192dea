"""What came of a case: exactly what is right, a refusal, or something else."""

from __future__ import annotations

from bench.trials.drafts import Case


def judge(case: Case, after: bytes | None) -> str:
    """exact, refused or wrong."""
    if after is None:
        return "refused"
    if case.verdict == "refuse":
        return "refused" if after == case.content else "wrong"
    if after == case.right:
        return "exact"
    if case.fresh is not None and _same_but_new_ends(case.right, after, case.fresh):
        return "exact"
    return "refused" if after == case.content else "wrong"


def _same_but_new_ends(right: bytes, after: bytes, fresh: range) -> bool:
    """Whether only the ends of lines the edit wrote differ from what was expected."""
    got, want = after.split(b"\n"), right.split(b"\n")
    return len(got) == len(want) and all(
        a == b or (i in fresh and a.rstrip(b"\r") == b.rstrip(b"\r"))
        for i, (a, b) in enumerate(zip(got, want, strict=True))
    )
