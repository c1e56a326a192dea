"""The users file, read again whenever it changes."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

from redline.server.http.auth import AuthFailed
from redline.settings import Settings, SettingsError
from redline.teams.people.users import Users, UsersFileError, parse_users


class UsersFile:
    """Returns the users as the file lists them now.

    While it cannot be read all its tokens are refused: an older content could still accept one
    that was just revoked.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = Lock()
        self._version: tuple[int, ...] = ()
        self._users = Users()

    def check(self) -> None:
        """Refuse to start with a file that cannot be used; SettingsError."""
        try:
            self()
        except AuthFailed as failure:
            raise SettingsError(str(failure)) from None

    def __call__(self) -> Users:
        """Return the users; AuthFailed while the file cannot be used."""
        with self._lock:
            try:
                found = os.stat(self._path)
                if found.st_nlink > 1:
                    raise UsersFileError("it has a second hard link, which may be in a workspace")
                version = (found.st_ino, found.st_mtime_ns, found.st_size)
                if version != self._version:
                    self._users = parse_users(Path(self._path).read_text("utf-8"))
                    self._version = version
            except (OSError, UnicodeDecodeError, UsersFileError) as failure:
                self._version = ()
                reason = failure.strerror if isinstance(failure, OSError) else failure
                raise AuthFailed(f"users file cannot be used: {self._path}: {reason}") from None
            return self._users


def open_users(settings: Settings) -> UsersFile | None:
    """Return the users that the settings name, if any; SettingsError for a file of no use."""
    if settings.users is None:
        return None
    users = UsersFile(settings.users)
    users.check()
    return users
