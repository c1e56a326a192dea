"""Leases in Redis: which server has which workspace, renewed by a thread of the owner."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from redline.core.errors import LeaseLost, StoreUnavailable
from redline.teams.adapters.group_store import GroupStore
from redline.teams.ports import Owner

# A workspace whose server was killed can be taken after the first, at most.
LEASE_SECONDS = 2.5
RENEW_SECONDS = 0.7
_ATTEMPTS = 10
# How long a server is asked for a workspace: it looks whenever it renews.
_ASK_SECONDS = 5.0
_POLL_SECONDS = 0.1

# The next number of a workspace, higher than any that its journal has seen.
_NUMBER = """
local held = redis.call('GET', KEYS[1])
if held then return held end
local number = redis.call('INCR', KEYS[2])
if number <= tonumber(ARGV[1]) then
  number = tonumber(ARGV[1]) + 1
  redis.call('SET', KEYS[2], number)
end
return number
"""
# Only the newest number may become a lease: another server may have had one since it was given.
_TAKE = """
local held = redis.call('GET', KEYS[1])
if held then return held end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[2]
"""
# Also returns whether another server asks for the workspace.
_RENEW = """
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {held or '', redis.call('EXISTS', KEYS[2])}
"""
_END = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


class HeldLease:
    """This server's lease of one workspace."""

    __slots__ = (
        "has_ended",
        "is_asked_for",
        "kept",
        "lock",
        "number",
        "until",
        "value",
        "workspace",
    )

    def __init__(self, workspace: str, kept: Callable[[], int]) -> None:
        self.workspace = workspace
        # Held while Redis is asked about this lease.
        self.lock = Lock()
        self.has_ended = False
        self.is_asked_for = False
        # Returns the highest number that the journal has seen.
        self.kept = kept
        self.number = 0
        self.value = b""
        # By the clock that goes on while the process is stopped.
        self.until = 0.0


class RedisLeases:
    """The leases of one server. The time that a lease has left is counted from before Redis was
    asked, so this server never believes in a lease for longer than Redis does.
    """

    def __init__(
        self, store: GroupStore, server: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._server = server
        self._clock = clock
        self._address = ""
        self._lock = Lock()
        self._held: dict[str, HeldLease] = {}
        self._lost: Callable[[str], None] = lambda _: None
        self._wanted: Callable[[str], None] = lambda _: None
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(
        self, address: str, lost: Callable[[str], None], wanted: Callable[[str], None]
    ) -> None:
        """Renew leases from now on; see `teams.ports.ServerGroup`."""
        self._address = address
        self._lost = lost
        self._wanted = wanted
        self._thread = Thread(target=self._keep, name="leases", daemon=True)
        self._thread.start()

    def claim(self, workspace: str, kept: Callable[[], int]) -> Owner | None:
        """Take a lease; None when this server has it, else the owner. StoreUnavailable."""
        if self.renew(workspace):
            return None
        lease = HeldLease(workspace, kept)
        owner = self._take(lease)
        if owner is None:
            with self._lock:
                self._held[workspace] = lease
        return owner

    def find_owner(self, workspace: str) -> Owner | None:
        """Return who has a workspace now; StoreUnavailable."""
        key = self._store.key("lease", workspace)
        with self._store.redis.connect() as client:
            found = client.get(key)
        return None if found is None else self._read(key, found)

    def holds(self, workspace: str) -> bool:
        """Return whether the lease lasts; Redis is not asked."""
        lease = self._held.get(workspace)
        return lease is not None and self._clock() < lease.until

    def renew(self, workspace: str) -> bool:
        """Return whether this server has a workspace, or could take it again."""
        with self._lock:
            lease = self._held.get(workspace)
        return lease is not None and self._renew(lease)

    def require(self, workspace: str) -> int:
        """Return the number of the lease; LeaseLost when this server has none."""
        lease = self._held.get(workspace)
        if lease is None:
            raise LeaseLost(workspace)
        if self._clock() >= lease.until and not self._renew(lease):
            raise LeaseLost(workspace)
        return lease.number

    def give_back(self, workspace: str) -> None:
        """End a lease; when Redis is away it ends by itself."""
        with self._lock:
            lease = self._held.pop(workspace, None)
        if lease is None:
            return
        with lease.lock:
            lease.has_ended, lease.until = True, 0.0
            try:
                self._store.redis.run(_END, (self._store.key("lease", workspace),), lease.value)
            except StoreUnavailable:
                return

    def ask_for(self, workspace: str) -> bool:
        """Have the server that has a workspace give it back, unless it is in use there."""
        wanted = self._store.key("wanted", workspace)
        with self._store.redis.connect() as client:
            client.set(wanted, b"1", px=int(_ASK_SECONDS * 1000))
            end = self._clock() + _ASK_SECONDS
            while (found := self.find_owner(workspace)) is not None and self._clock() < end:
                time.sleep(_POLL_SECONDS)
            client.delete(wanted)
        return found is None

    def close(self) -> None:
        """End every lease."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(RENEW_SECONDS)
        for workspace in list(self._held):
            self.give_back(workspace)

    # --- Redis -------------------------------------------------------------------------------

    def _take(self, lease: HeldLease) -> Owner | None:
        key = self._store.key("lease", lease.workspace)
        keys = key, self._store.key("number", lease.workspace)
        for _ in range(_ATTEMPTS):
            least = max(lease.number, lease.kept())
            number = self._store.redis.run(_NUMBER, keys, least)
            if not isinstance(number, int):
                return self._read(key, number)
            asked = self._clock()
            value = self._store.seal(key, [self._server, self._address, number])
            found = self._store.redis.run(_TAKE, keys, number, value, int(LEASE_SECONDS * 1000))
            if found == value:
                lease.number, lease.value = number, value
                lease.until = asked + LEASE_SECONDS
                return None
            if found != 0:
                return self._read(key, found)
        raise StoreUnavailable("Too many servers ask for one workspace", hint="repeat the call")

    def _renew(self, lease: HeldLease) -> bool:
        """Whether the lease goes on; taken again where it had ended and no other server was first.

        While Redis is away it goes on until its end.
        """
        key = self._store.key("lease", lease.workspace)
        with lease.lock:
            asked = self._clock()
            try:
                if lease.has_ended:
                    return False
                milliseconds = int(LEASE_SECONDS * 1000)
                keys = key, self._store.key("wanted", lease.workspace)
                found, wanted = self._store.redis.run(_RENEW, keys, lease.value, milliseconds)
                lease.is_asked_for = bool(wanted)
                if not found:
                    return self._take(lease) is None
            except StoreUnavailable:
                return self._clock() < lease.until
            if found != lease.value:
                return False
            lease.until = asked + LEASE_SECONDS
            return True

    def _read(self, key: str, data: bytes) -> Owner:
        server, address, number = self._store.open(key, data)
        return Owner(str(server), str(address), int(number))

    # --- the thread --------------------------------------------------------------------------

    def _keep(self) -> None:
        while not self._stopping.wait(RENEW_SECONDS):
            with self._lock:
                held = list(self._held.values())
            for lease in held:
                if not self._renew(lease) and not self._stopping.is_set():
                    self._drop(lease)
                elif lease.is_asked_for:
                    self._wanted(lease.workspace)

    def _drop(self, lease: HeldLease) -> None:
        with self._lock:
            is_held = self._held.get(lease.workspace) is lease
            if is_held:
                del self._held[lease.workspace]
        lease.has_ended, lease.until = True, 0.0
        if is_held:
            self._lost(lease.workspace)
