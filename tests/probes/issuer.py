"""A stand-in for an authorization server with an RSA and an elliptic curve key."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa


class Issuer:
    """Its address, and tokens whose algorithm need not fit the key they name."""

    audience = "https://redline.test/mcp"

    def __init__(self) -> None:
        self.base = ""
        self.asked = 0  # how often its keys were asked for
        self._signing: dict[str, Any] = {
            "ES256": ec.generate_private_key(ec.SECP256R1()),
            "ES384": ec.generate_private_key(ec.SECP384R1()),
            "RS256": rsa.generate_private_key(65537, 2048),
            "EdDSA": ed25519.Ed25519PrivateKey.generate(),
            "HS256": "a shared secret that is long enough to be taken",
            "none": None,
        }
        point = jwt.algorithms.ECAlgorithm.to_jwk(self._signing["ES256"].public_key())
        modulus = jwt.algorithms.RSAAlgorithm.to_jwk(self._signing["RS256"].public_key())
        # Without "alg", as many issuers have it: nothing but the key's kind says what it is for.
        self.keys = [
            {**json.loads(point), "kid": "ec", "use": "sig"},
            {**json.loads(modulus), "kid": "rsa", "use": "sig"},
        ]

    def token(self, algorithm: str, kid: str, **other: Any) -> str:
        """A token signed by *algorithm* that says its key is *kid*, with *other* claims."""
        claims = {
            "iss": self.base,
            "sub": "ann",
            "aud": self.audience,
            "exp": time.time() + 60,
            "scope": "redline:read redline:write",
            **other,
        }
        key = self._signing[algorithm]
        return jwt.encode(claims, key, algorithm, headers={"kid": kid})

    def documents(self) -> dict[str, Any]:
        """What it publishes, by path."""
        return {
            "/.well-known/openid-configuration": {"jwks_uri": f"{self.base}/keys"},
            "/keys": {"keys": self.keys},
        }


@contextmanager
def open_issuer() -> Iterator[Issuer]:
    """An issuer that answers on loopback."""
    issuer = Issuer()

    class Documents(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked += self.path == "/keys"
            body = json.dumps(issuer.documents()[self.path]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Documents)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    issuer.base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
