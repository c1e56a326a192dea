"""One server of a group: its leases, and what it shares with the others."""

from __future__ import annotations

import os
from collections.abc import Callable

from redline.adapters.files.platform import state_dir_of
from redline.adapters.shared.fence import Fence, read_number
from redline.adapters.shared.grants import RedisGrants
from redline.adapters.shared.leases import RedisLeases
from redline.adapters.shared.limits import RedisCallSlots, RedisRate
from redline.adapters.shared.sessions import RedisSessions
from redline.adapters.shared.sign_in_keys import RedisSignInKeys
from redline.adapters.shared.store import GroupStore
from redline.adapters.shared.used_once import RedisUsedOnce
from redline.core.ports.many.group import Owner
from redline.core.ports.many.shared import SharedParts
from redline.core.ports.many.workspaces import WorkspaceEntry


class RedisGroup:
    """See `core.ports.many.group.ServerGroup`."""

    def __init__(self, store: GroupStore) -> None:
        self.store = store
        self.server = os.urandom(8).hex()
        self._leases = RedisLeases(store, self.server)
        self.slots = RedisCallSlots(store)
        self.sign_in_keys = RedisSignInKeys(store)

    def start(
        self, address: str, lost: Callable[[str], None], wanted: Callable[[str], None]
    ) -> None:
        """Begin to keep leases."""
        self._leases.start(address, lost, wanted)

    def claim(self, entry: WorkspaceEntry) -> Owner | None:
        """Take the lease of a workspace; None when this server has it, else who has it."""
        state_dir = entry.state_dir or state_dir_of(os.path.realpath(entry.path))
        return self._leases.claim(entry.name, lambda: read_number(state_dir))

    def find_owner(self, workspace: str) -> Owner | None:
        """Who has a workspace now."""
        return self._leases.find_owner(workspace)

    def holds(self, workspace: str) -> bool:
        """Whether this server has a workspace for sure."""
        return self._leases.holds(workspace)

    def renew(self, workspace: str) -> bool:
        """Whether this server has a workspace, or could take it again."""
        return self._leases.renew(workspace)

    def give_back(self, workspace: str) -> None:
        """End the lease of a workspace."""
        self._leases.give_back(workspace)

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there."""
        return self._leases.ask_for(workspace)

    def fence(self, workspace: str) -> Fence:
        """Return what keeps this server's commits out once it has lost a workspace."""
        return Fence(workspace, lambda: self._leases.require(workspace))

    def share(self, workspace: str, session_idle: float) -> SharedParts:
        """Return what the servers share about one workspace."""
        return SharedParts(
            RedisGrants(self.store, workspace),
            RedisSessions(self.store, workspace, session_idle),
            self.store.derive_key(f"session {workspace}").hex()[:32],
            RedisUsedOnce(self.store),
            self.store.derive_key("question"),
            lambda text: self.store.sign(f"preview {workspace}\0".encode() + text),
        )

    def share_rate(self, kind: str, per_second: float, alone: Callable[..., float]) -> RedisRate:
        """Return a limit of requests over all servers."""
        return RedisRate(self.store, kind, per_second, alone)

    def sign(self, text: bytes) -> str:
        """Return what proves that a server of the group wrote *text*."""
        return self.store.sign(b"request\0" + text)

    def check_store(self) -> None:
        """Raise StoreUnavailable when Redis cannot be reached."""
        self.store.redis.ping()

    def close(self) -> None:
        """End every lease, and the connections."""
        self.slots.close()
        self._leases.close()
        self.store.redis.close()
