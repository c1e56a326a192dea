"""A real disk that does not wait for the hardware: nothing here pulls the plug for real."""

from __future__ import annotations

from redline.adapters.files.disk import Dir
from redline.adapters.files.platform import choose_disk


class QuickDisk(type(choose_disk())):  # type: ignore[misc]
    """Syncs do nothing, everything else happens."""

    def sync(self, fd: int) -> None:
        """Not waited for."""

    def sync_data(self, fd: int) -> None:
        """Not waited for."""

    def sync_dir(self, base: Dir) -> None:
        """Not waited for."""

    def sync_entry(self, base: Dir, name: str) -> None:
        """Not waited for."""
