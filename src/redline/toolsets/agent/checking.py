"""`check`: the project's formatters and checkers run on a change before it is made."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.access.rights import Right
from redline.core.changes import ChangeSet
from redline.core.errors import RightMissing, SandboxUnavailable
from redline.toolsets.call import Call
from redline.toolsets.tool import Json

_MAX_PROBLEMS = 50


class CallChecks:
    """The checks of one call: none unless it, or the server's setting, asks for them."""

    def __init__(self, call: Call) -> None:
        self._call = call
        takes = "check" in call.tool.input_schema["properties"]
        given = call.arguments.get("check") if takes else False
        self._is_asked = given is True
        self.is_wanted = takes and bool(
            call.runtime.options.get("check") if given is None else given
        )
        self._problems: list[Json] = []
        self._lines: list[str] = []
        self._notes: list[str] = []

    def apply(self, change_set: ChangeSet) -> ChangeSet:
        """Return the change with the formatting that belongs to it."""
        if not self.is_wanted or change_set.is_empty:
            return change_set
        from redline.services.checking.check import check_change

        self._problems, self._lines, self._notes = [], [], []
        try:
            self._check_right()
            call = self._call
            done = check_change(call.runtime, change_set, call.origin("check"), call.cancel)
        except (RightMissing, SandboxUnavailable) as error:
            if self._is_asked:
                raise type(error)(error.message, hint="leave check out") from None
            self._notes = [f"not checked: {error.message}"]
            return change_set
        self._problems = [each._asdict() for each in done.problems[:_MAX_PROBLEMS]]
        self._lines = [str(each) for each in done.problems[:_MAX_PROBLEMS]]
        self._notes = list(done.notes)
        if len(done.problems) > _MAX_PROBLEMS:
            self._notes.append(f"{len(done.problems)} new problems, the first are listed")
        return done.change_set

    def _check_right(self) -> None:
        """Settings of a project can name code, such as plugins: checks are commands."""
        client = self._call.client
        if Right.RUN not in client.rights:
            raise RightMissing(
                f"{client.principal} does not have the right to run here; refused: check",
            )

    def lines(self) -> Iterator[str]:
        """Yield what the answer says."""
        yield from (f"new problem: {line}" for line in self._lines)

    @property
    def notes(self) -> list[str]:
        """What is worth mentioning."""
        return self._notes

    def wire(self) -> Json:
        """Return the fields of the structured answer; none unless checks were asked for."""
        return {"problems": self._problems} if self.is_wanted else {}
