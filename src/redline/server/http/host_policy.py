"""What an HTTP request must satisfy before anyone reads its body."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from redline.server.http.options import HttpOptions

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


class Names:
    """The Host and Origin values that are accepted: exact strings, nothing matched by pattern."""

    def __init__(self, options: HttpOptions, port: int) -> None:
        self._port = port
        self._is_local = is_loopback(options.host)
        hosts = set(options.allowed_hosts)
        if options.host not in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
            hosts.add(f"{_bracketed(options.host)}:{port}")
        if self._is_local:
            hosts.update(f"{name}:{port}" for name in _LOOPBACK)
        if port == 80:
            hosts.update(host.removesuffix(":80") for host in list(hosts))
        self._hosts = hosts
        self._origins = set(options.allowed_origins)

    def check(self, host: str | None, origin: str | None, server: tuple[str, int] | None) -> None:
        """Refuse a request that a web page may have been tricked into sending."""
        if host is None or not (host.lower() in self._hosts or self._is_own(host, server)):
            name = (host or "")[:100]
            hint = f"\nhint: start the server with --allowed-hosts {name}" if name else ""
            raise HttpRefusal(421, -32600, f"Host denied: {name}{hint}")
        if origin is not None and not self._knows_origin(origin, host):
            raise HttpRefusal(403, -32600, f"Origin denied: {origin[:100]}")

    def opens_to(self, origin: str | None) -> str | None:
        """*origin*, when it was named by the operator: only such pages may read answers."""
        return origin if origin in self._origins else None

    def _is_own(self, host: str, server: tuple[str, int] | None) -> bool:
        # The literal address the connection came in on cannot be a rebound name, nor can
        # localhost for one that came from this machine.
        if self._is_local or server is None:
            return False
        own = {_bracketed(server[0]), *(_LOOPBACK if is_loopback(server[0]) else ())}
        return host in {f"{name}:{self._port}" for name in own}

    def _knows_origin(self, origin: str, host: str) -> bool:
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


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach *host*."""
    return host in ("localhost", "::1") or (
        host.startswith("127.") and host.replace(".", "").isdigit()
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
