"""A commit that may or may not be durable."""

from __future__ import annotations


class Undecided(Exception):
    """A line is neither durable nor durably taken back; `is_there` as the file reads now."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__()
        self.is_there = is_there
