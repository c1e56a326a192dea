"""Which Host and Origin headers are accepted; checked before a body is read."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from redline.settings import Settings, is_loopback

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class HttpRefusal(Exception):
    """An HTTP status with a JSON-RPC error in the body."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        data: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.data = data
        self.headers = dict(headers or {})


class HostPolicy:
    """The accepted Host and Origin values: exact strings, no patterns."""

    def __init__(self, settings: Settings, port: int) -> None:
        self._port = port
        self._is_local = is_loopback(settings.host)
        hosts = set(settings.allowed_hosts)
        if settings.host not in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
            hosts.add(f"{_add_brackets(settings.host)}:{port}")
        if self._is_local:
            # Without a port too, as programs write it: no rebound name is one of these.
            hosts.update(_LOOPBACK, (f"{name}:{port}" for name in _LOOPBACK))
        if port == 80:
            hosts.update(host.removesuffix(":80") for host in list(hosts))
        self._hosts = hosts
        self._origins = set(settings.allowed_origins)

    def check(self, host: str | None, origin: str | None, server: tuple[str, int] | None) -> None:
        """Refuse a request that a web page may have sent by DNS rebinding or across origins."""
        if host is None or not (host.lower() in self._hosts or self._is_own_address(host, server)):
            name = (host or "")[:100]
            hint = f"\nhint: start the server with --allowed-hosts {name}" if name else ""
            raise HttpRefusal(421, -32600, f"Host denied: {name}{hint}")
        if origin is not None and not self._accepts_origin(origin, host):
            raise HttpRefusal(403, -32600, f"Origin denied: {origin[:100]}")

    def allowed_page(self, origin: str | None) -> str | None:
        """Return *origin* if the operator allowed it: only such pages may read answers."""
        return origin if origin in self._origins else None

    def _is_own_address(self, host: str, server: tuple[str, int] | None) -> bool:
        # The literal address of this end of the connection cannot be a rebound name, nor can
        # localhost when the connection comes from this machine.
        if self._is_local or server is None:
            return False
        own = {_add_brackets(server[0]), *(_LOOPBACK if is_loopback(server[0]) else ())}
        return host in {f"{name}:{self._port}" for name in own}

    def _accepts_origin(self, origin: str, host: str) -> bool:
        if origin in self._origins or origin in (f"http://{host}", f"https://{host}"):
            return True
        return self._is_local and _is_local_origin(origin)


def _is_local_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return False
    if parts.scheme not in ("http", "https"):
        return False
    return any(origin == f"{parts.scheme}://{name}{port}" for name in _LOOPBACK)


def _add_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host
