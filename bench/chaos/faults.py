"""Random faults, one after the other: servers, Redis, its connections, leases."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable

from bench.chaos.clients import ModernClient
from bench.chaos.group import Group, Server
from bench.chaos.ledger import Ledger, Takeover
from bench.chaos.wire import Lost, Refused
from bench.chaos.work import SHARED

_PROBES = 4
_PROBE_LIMIT = 60.0
_SIGNATURE = 32


class Faults(threading.Thread):
    """Breaks something every few seconds, and mends it; at least one server is whole."""

    def __init__(
        self,
        group: Group,
        workspaces: list[str],
        ledger: Ledger,
        stop: threading.Event,
        seed: int,
    ) -> None:
        super().__init__(name="faults", daemon=True)
        self._group = group
        self._workspaces = workspaces
        self._ledger = ledger
        self._ending = stop
        self._chance = random.Random(f"{seed}-faults")
        self._mending: list[tuple[float, Callable[[], None]]] = []
        self._broken: set[str] = set()
        self._probes: list[threading.Thread] = []
        self._redis_away_at = 0.0  # the last time it was

    def run(self) -> None:
        """Break and mend until *stop*; then mend everything."""
        kinds = [self._kill_server, self._suspend_server, self._cut_connections]
        kinds += [self._stop_redis, self._delete_leases]
        turn = 0
        next_at = time.monotonic() + 1.0
        while not self._ending.is_set():
            if time.monotonic() >= next_at:
                # Each kind comes as often as the others, in an order of its own after the first.
                if turn and turn % len(kinds) == 0:
                    self._chance.shuffle(kinds)
                try:
                    kinds[turn % len(kinds)]()
                except Exception as failure:
                    self._ledger.blame(f"a fault could not be made: {failure!r}")
                turn += 1
                next_at = time.monotonic() + self._chance.uniform(1.0, 4.0)
            self._mend(time.monotonic())
            self._ending.wait(0.05)
        self._mend(float("inf"))
        for probe in self._probes:
            probe.join()

    def _mend(self, now: float) -> None:
        due = [action for at, action in self._mending if at <= now]
        self._mending = [each for each in self._mending if each[0] > now]
        for action in due:
            action()

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        self._mending.append((time.monotonic() + seconds, action))

    def _choose_server(self) -> Server | None:
        whole = [each for each in self._group.servers if each.name not in self._broken]
        return self._chance.choice(whole) if len(whole) > 1 else None

    def _kill_server(self) -> None:
        server = self._choose_server()
        if server is None:
            return
        owned = self._find_owned(server)
        server.kill()
        self._ledger.count("servers killed")
        self._broken.add(server.name)
        self._probe(server, owned, "killed")

        def restart() -> None:
            server.start(self._group.allowed)
            self._broken.discard(server.name)

        self._later(self._chance.uniform(0.2, 6.0), restart)

    def _suspend_server(self) -> None:
        """Stop one for longer than its leases last, then let it go on."""
        server = self._choose_server()
        if server is None:
            return
        owned = self._find_owned(server)
        server.suspend()
        self._ledger.count("servers suspended")
        self._broken.add(server.name)
        self._probe(server, owned, "suspended")

        def resume() -> None:
            server.resume()
            self._broken.discard(server.name)

        self._later(self._chance.uniform(4.0, 7.0), resume)

    def _cut_connections(self) -> None:
        self._tell_redis("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        self._ledger.count("Redis connections cut")

    def _stop_redis(self) -> None:
        self._redis_away_at = float("inf")
        self._group.redis.stop()
        self._ledger.count("Redis stopped")
        time.sleep(self._chance.uniform(0.2, 2.0))
        self._group.redis.start()
        self._redis_away_at = time.monotonic()

    def _delete_leases(self) -> None:
        leases = self._leases()
        for key in self._chance.sample(sorted(leases), min(5, len(leases))):
            self._tell_redis("DEL", key)
            self._ledger.count("leases deleted")

    # --- takeover ----------------------------------------------------------------------------

    def _leases(self) -> dict[bytes, str]:
        """The address that each lease names."""
        import redis

        found: dict[bytes, str] = {}
        with redis.Redis(port=self._group.redis.port, socket_timeout=5) as client:
            for key in client.scan_iter(match="*:lease:*", count=1000):
                value = client.get(key)
                if value:
                    found[key] = str(json.loads(value[_SIGNATURE:])[1])
        return found

    def _tell_redis(self, *words: object) -> None:
        import redis

        with redis.Redis(port=self._group.redis.port, socket_timeout=5) as client:
            client.execute_command(*words)  # type: ignore[no-untyped-call]

    def _find_owned(self, server: Server) -> list[str]:
        """Some workspaces that *server* has."""
        by_digest = {
            hashlib.sha256(name.encode()).hexdigest()[:32].encode(): name
            for name in self._workspaces
        }
        owned = [
            by_digest[key.rpartition(b":")[2]]
            for key, address in self._leases().items()
            if address == server.address and key.rpartition(b":")[2] in by_digest
        ]
        return self._chance.sample(sorted(owned), min(_PROBES, len(owned)))

    def _probe(self, dead: Server, workspaces: list[str], how: str) -> None:
        """Measure how long workspaces of a server that is gone take no edit at another one."""
        start = time.monotonic()
        for name in workspaces:
            given = (name, start, f"{dead.name} {how}")
            probe = threading.Thread(target=self._time_takeover, args=given)
            probe.start()
            self._probes.append(probe)

    def _time_takeover(self, workspace: str, start: float, story: str) -> None:
        attempt_number, last = 0, ""
        while time.monotonic() - start < _PROBE_LIMIT:
            attempt_number += 1
            token = f"p{time.monotonic_ns()}-{attempt_number}-{threading.get_ident()}"
            attempt = self._ledger.send(token, workspace, SHARED)
            edit = {"oldText": "END\n", "newText": f"{token}\nEND\n"}
            # Not through haproxy, which may still send requests to the one that is gone.
            whole = [each for each in self._group.servers if each.name not in self._broken]
            client = ModernClient(random.choice(whole).port, self._ledger)
            try:
                client.call(workspace, "edit_file", {"path": SHARED, "edits": [edit]})
            except (Lost, Refused) as failure:
                if isinstance(failure, Refused):
                    attempt.refuse(f"refused: {failure}")
                if str(failure)[:90] != last:
                    last = str(failure)[:90]
                    story += f"; {time.monotonic() - start:.1f} s: {last}"
                time.sleep(0.05)
            else:
                attempt.must_be_there = True
                seconds = time.monotonic() - start
                is_away = self._redis_away_at >= start
                self._ledger.took_over(Takeover(seconds, is_away, f"{workspace}: {story}"))
                return
        self._ledger.blame(f"{workspace}: not taken over in {_PROBE_LIMIT:g} s: {story}")
