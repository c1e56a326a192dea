"""What edit_files says of each file, in full and in brief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redline.core.errors import NoMatch, RedlineError
from redline.toolsets.compact import by_directory


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file: its diff or the line that says it was edited, or why it was not.

    Of an error only the type is kept: the error itself would hold the file's text in its frames.
    """

    name: str
    report: str
    error: type[RedlineError] | None = None
    from_glob: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_expected(self) -> bool:
        """Whether a glob merely took in a file that does not hold the text."""
        return self.from_glob and self.is_no_match

    @property
    def is_no_match(self) -> bool:
        """Whether the file does not hold the text."""
        return self.error is not None and issubclass(self.error, NoMatch)


def in_full(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One text per file; advice that was given once is not repeated for the next file."""
    seen: set[str] = set()
    for outcome in outcomes:
        report = outcome.report
        if outcome.is_no_match:
            advice = report.removeprefix(outcome.name)
            fact, separator, _ = advice.partition(". ")
            report = outcome.name + fact if separator and advice in seen else report
            seen.add(advice)
        yield report


def in_brief(outcomes: Sequence[Outcome], *, dry: bool) -> str:
    """What was edited by directory, how many files of globs lack the text, and every failure."""
    done = [outcome for outcome in outcomes if outcome.error is None]
    without = [outcome for outcome in outcomes if outcome.is_expected]
    head = f"{'Would edit' if dry else 'Edited'} {_files(len(done))}"
    head += f"; no match in {_files(len(without))} of the globs" if without else ""
    lines = [head]
    lines += [o.report for o in done] if dry else by_directory(o.name for o in done)
    if not dry:
        lines += [f"note: {o.name}: {note}" for o in done for note in o.notes]
    lines += [o.report for o in outcomes if o.error is not None and not o.is_expected]
    if without and not done:
        lines.append(without[0].report)
    return "\n".join(lines)


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
