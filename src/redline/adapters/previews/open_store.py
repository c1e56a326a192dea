"""The preview store a setting names: memory, sqlite:PATH or redis://..."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.errors import InvalidArgument
from redline.core.ports.previews import Previews


def open_previews(
    setting: str, workspace: str = "", sign: Callable[[bytes], str] | None = None
) -> Previews:
    """The store for `--sessions`; nothing is connected before it is used.

    *workspace* keeps the previews of one of many apart from those of the others. With *sign* only
    previews that carry its signature are found.
    """
    if sign is not None:
        from redline.adapters.previews.wrapped import SignedPreviews

        return SignedPreviews(open_previews(setting, workspace), sign)
    if workspace and setting not in ("", "memory"):
        from redline.adapters.previews.wrapped import NamedPreviews

        return NamedPreviews(open_previews(setting), workspace)
    if setting in ("", "memory"):
        from redline.adapters.previews.memory import MemoryPreviews

        return MemoryPreviews()
    if setting.startswith("sqlite:"):
        from redline.adapters.previews.sqlite import SqlitePreviews

        return SqlitePreviews(setting.removeprefix("sqlite:").removeprefix("//"))
    if setting.startswith(("redis://", "rediss://", "unix://")):
        from redline.adapters.previews.redis import RedisPreviews

        return RedisPreviews(setting)
    raise InvalidArgument(
        f"Unknown session store: {setting.split('@')[-1]}",
        field="sessions",
        hint="use memory, sqlite:PATH or redis://HOST:PORT/DB",
    )
