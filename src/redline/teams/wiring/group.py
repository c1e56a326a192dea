"""Connects a server to the others that serve the same workspaces as one."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from redline.core.errors import StoreUnavailable
from redline.core.extras import lacks_extra
from redline.settings import Settings, SettingsError
from redline.toolsets.call import name_group

if TYPE_CHECKING:
    from redline.review.page.access import ReviewAccess
    from redline.teams.adapters.redis_group import RedisGroup
    from redline.wiring.workspace import Redline

_SECRET = "group-secret"  # noqa: S105 - the name of a file


def open_group(settings: Settings) -> RedisGroup | None:
    """Join the servers that share a store; None without one. SettingsError when that fails."""
    if settings.shared is None:
        return None
    if missing := lacks_extra("teams", "redis", "httpx2"):
        raise SettingsError(f"--shared needs an extra: {missing}")
    from redline.adapters.private_file import load_secret
    from redline.teams.adapters.group_store import GroupStore
    from redline.teams.adapters.redis_group import RedisGroup

    where = os.path.realpath(settings.workspaces or settings.roots[0][0])
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:12]
    group = RedisGroup(GroupStore(settings.shared, name, load_secret(_home(settings), _SECRET)))
    name_group(group.store.derive_key("clients").hex()[:16])
    try:
        group.store.check_secret()
    except StoreUnavailable as failure:
        raise SettingsError(failure.text) from None
    return group


def _home(settings: Settings) -> str:
    """Return the directory of what every server of the group knows."""
    from redline.adapters.files.own_places import state_home
    from redline.adapters.files.platform import state_dir_of

    if settings.workspaces is not None:  # no workspace can have this name
        return os.path.join(settings.state_dir or state_home(), ".server")
    return settings.state_dir or state_dir_of(os.path.realpath(settings.roots[0][0]))


def join_group(redline: Redline, group: RedisGroup | None, workspace: str) -> None:
    """Have an open workspace refuse commits once this server has lost it; LeaseLost."""
    if group is None:
        return
    redline.fence = group.fence(workspace).check
    redline.shared = group.share(workspace, redline.settings.session_idle)
    try:
        redline.tree  # noqa: B018  settles what a server that was killed has left half done
    except BaseException:
        redline.close()
        raise


def open_access(settings: Settings, key: str, group: RedisGroup | None) -> ReviewAccess:
    """Return who may sign in at the pages of a server, the same at every server of its group.

    *key* signs in one browser. SettingsError when the store cannot be reached.
    """
    from redline.adapters.private_file import load_secret
    from redline.review.page.access import ReviewAccess

    secret = load_secret(_home(settings))
    if group is None:
        return ReviewAccess(secret, key)
    try:
        group.sign_in_keys.offer(key)
    except StoreUnavailable as failure:
        raise SettingsError(failure.text) from None
    return ReviewAccess(secret, key, take_key=group.sign_in_keys.take)
