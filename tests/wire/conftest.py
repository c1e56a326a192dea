"""Fixtures for tests over the wire."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire.client import AttachedClient, Client, HttpClient, connect
from tests.wire.transports import pytest_generate_tests, transport

FIXTURES = {"REDLINE_TEST_TOOLSET": "tests.wire.fixtures"}
Connect = Callable[..., Client]
__all__ = ["pytest_generate_tests", "transport"]


@pytest.fixture(scope="session")
def shared_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """One server with the fixtures on, for every test that needs nothing special of it."""
    args = ["--tools", "fixtures", "--rate-limit", "0"]
    folder = tmp_path_factory.mktemp("shared-http")
    with connect("http", args, cwd=folder, env=FIXTURES, handshake=False) as client:
        assert isinstance(client, HttpClient)
        yield client


@pytest.fixture
def connected(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Connect]:
    """A function like `connect` with the protocol fixtures on; clients are closed at the end.

    Over HTTP, and without arguments of its own, a test gets a client of a shared server; `own`
    asks for a server it may stop.
    """
    clients: list[Client] = []

    def start(transport: str, *args: str, own: bool = False, **options: Any) -> Client:
        if transport == "http" and not (own or args or "env" in options):
            return AttachedClient(request.getfixturevalue("shared_http"), **options)
        options.setdefault("cwd", tmp_path)
        options["env"] = {**FIXTURES, **options.get("env", {})}
        client = connect(transport, list(args) or ["--tools", "fixtures"], **options)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def issuer() -> Iterator[Any]:
    """A stand-in for an authorization server: its documents and its signing key."""
    import jwt
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()))
    public.update(kid="k1", alg="ES256", use="sig")

    class Documents(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            base = f"http://127.0.0.1:{self.server.server_address[1]}"
            found = {
                "/.well-known/openid-configuration": {"issuer": base, "jwks_uri": f"{base}/keys"},
                "/keys": {"keys": [public]},
            }[self.path]
            body = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Documents)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"

    def sign(**claims: Any) -> str:
        full = {"iss": base, "sub": "ann", "aud": "https://redline.test/mcp",
                "exp": time.time() + 60, "scope": "redline:read redline:write redline:run",
                **claims}  # fmt: skip
        return jwt.encode(full, key, "ES256", headers={"kid": "k1"})

    yield base, sign
    server.shutdown()
    server.server_close()
