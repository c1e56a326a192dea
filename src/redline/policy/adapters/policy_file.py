"""The policy file: read again when it changes; unreadable, it forbids every change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from redline.core.changes import ChangeSet, FileState
from redline.core.errors import InvalidArgument, PolicyUnreadable
from redline.core.ports.history import ChangePermits, Origin

if TYPE_CHECKING:
    from redline.policy.model import Policy
    from redline.policy.reading import PolicyError

# Two writes within one tick of the file system's clock look alike.
_TICK_NS = 50_000_000
_MAX_BYTES = 1 << 20
_MAX_SCHEMA = 16 << 20
_EXPOSED = "it lies in the workspace, its path leads through it, or it has a second hard link"
_Mark = tuple[int, int, int, int]
_Load = Callable[[FileState], FileState]
_Judge = Callable[[ChangeSet, Origin, ChangePermits, _Load], None]


class PolicyFile:
    """The policy at *path*; with *required* it must be there.

    *is_exposed* says whether a file lies where an agent could change it: rules and schemas there
    are refused.
    """

    def __init__(self, path: str, *, required: bool, is_exposed: Callable[[str], bool]) -> None:
        self.path = path
        self._required = required
        self._is_exposed = is_exposed
        self._lock = Lock()
        self._mark: _Mark | None = None
        self._policy: Policy | None = None

    def current(self) -> Policy | None:
        """Return the policy as the file has it now, None where there is none; PolicyUnreadable.

        A file that was there and is gone forbids every change: removing it must not lift rules
        unnoticed.
        """
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            if self._required or self._mark is not None:
                raise self._unreadable("it is not there") from None
            return None
        except OSError as error:
            raise self._unreadable(error.strerror or str(error)) from None
        mark = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        if mark == self._mark:
            return self._policy
        with self._lock:
            self._policy = self._read()
            is_resting = time.time_ns() - max(mark[:2]) > _TICK_NS
            self._mark = mark if is_resting else (0, 0, 0, 0)
            return self._policy

    def read_schema(self, name: str) -> bytes:
        """Return the bytes of a schema file."""
        path = name if os.path.isabs(name) else os.path.join(os.sep, name)
        if self._is_exposed(path):
            raise InvalidArgument(f"{_EXPOSED}: {path}")
        try:
            return _read(path, _MAX_SCHEMA)
        except OSError as error:
            raise InvalidArgument(f"{error.strerror}: {path}") from None

    def _read(self) -> Policy:
        from redline.policy.reading import PolicyError, read_policy

        if self._is_exposed(self.path):
            raise self._unreadable(f"{_EXPOSED}, where an agent could change it")
        try:
            policy = read_policy(_read(self.path, _MAX_BYTES), self.path)
        except OSError as error:
            raise self._unreadable(error.strerror or str(error)) from None
        except PolicyError as error:
            hint = f" ({error.hint})" if error.hint else ""
            why = error.message.removeprefix(f"{self.path}:").strip()
            raise self._unreadable(why + hint, error) from None
        for schema in policy.schemas:
            if self._is_exposed(schema):
                raise self._unreadable(f"{_EXPOSED}: the schema {schema}")
        return policy

    def _unreadable(self, why: str, cause: PolicyError | None = None) -> PolicyUnreadable:
        where = f"{self.path}:{why}" if why[:1].isdigit() else f"{self.path}: {why}"
        return PolicyUnreadable(
            f"The policy cannot be used, so nothing may be changed: {where}",
            hint="the person who keeps the policy must repair it; redline policy check says more",
            details=cause.details if cause else {"file": self.path},
        )


class PolicyGate:
    """Has changes judged by the policy where there is one; without one its judge is not loaded.

    *load_judge* returns `PolicyGuard.check`.
    """

    def __init__(self, policy: PolicyFile, load_judge: Callable[[], _Judge]) -> None:
        self._policy = policy
        self._load_judge = load_judge
        self._judge: _Judge | None = None

    def check(
        self, change_set: ChangeSet, origin: Origin, permits: ChangePermits, load: _Load, /
    ) -> None:
        """Raise RuleDenied or, where no person approved it, RuleAsks; PolicyUnreadable."""
        if origin.as_owner:
            return
        if self._judge is None:
            if self._policy.current() is None:
                return
            self._judge = self._load_judge()
        self._judge(change_set, origin, permits, load)


def _read(path: str, limit: int) -> bytes:
    with open(path, "rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(27, f"it is larger than {limit} bytes")
    return data
