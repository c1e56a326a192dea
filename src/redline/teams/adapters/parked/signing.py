"""Who parked a workspace: every server signs what it parks, and wakes only what it trusts."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable

from redline.adapters.private_file import load_secret
from redline.core.errors import InvalidArgument

_KEY_FILE = "park-key"
_SIZE = 32


class ParkKeys:
    """The key of this server and the public keys of others whose workspaces it wakes.

    *home* is a directory that neither tools nor commands see. InvalidArgument for a text in
    *trusted* that is not a public key.
    """

    def __init__(self, home: str, trusted: Iterable[str] = ()) -> None:
        self._home = home
        self._trusted = frozenset(trusted)
        for key in self._trusted:
            if _decode(key, _SIZE) is None:
                raise InvalidArgument(
                    f"Not the key of a server: {key[:100]}",
                    field="trust",
                    hint="pass what `redline workspace key` prints on the server that parked it",
                )

    @property
    def own(self) -> str:
        """The public key of this server."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.from_private_bytes(load_secret(self._home, _KEY_FILE))
        return _encode(private.public_key().public_bytes_raw())

    def sign(self, claim: Iterable[str]) -> str:
        """Return this server's signature of *claim*."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.from_private_bytes(load_secret(self._home, _KEY_FILE))
        return _encode(private.sign(_message(claim)))

    def trusts(self, key: str) -> bool:
        """Return whether *key* is the key of this server or of one that it trusts."""
        return key in self._trusted or key == self.own


def is_signed(claim: Iterable[str], key: str, signature: str) -> bool:
    """Return whether the server of *key* signed *claim*."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public, signed = _decode(key, _SIZE), _decode(signature, 2 * _SIZE)
    if public is None or signed is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed, _message(claim))
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(claim: Iterable[str]) -> bytes:
    return json.dumps(["redline parked workspace", *claim]).encode()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str, size: int) -> bytes | None:
    try:
        found = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return found if len(found) == size and _encode(found) == text else None
