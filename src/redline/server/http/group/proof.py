"""What a server adds to a request that it passes on, so that the owner knows where it comes from.

It proves that a server of the group has checked Host and Origin and where the request came from;
the client's own credentials travel with it and are checked again. Such a request is never passed
on once more.
"""

from __future__ import annotations

import hmac
import json
from time import time

from redline.core.ports.teams import ServerGroup
from redline.server.http.host_policy import HttpRefusal
from redline.server.http.request import FORWARDED, Scope, peer_of
from redline.server.rpc import wire

HEADER = "redline-forwarded"
# In the answer of a server that does not have the workspace: nothing was done there.
NOT_OWNER = "redline-not-owner"
# Clocks of the servers may differ by this much.
_MAX_AGE_SECONDS = 60.0
_BOUND = ("host", "origin", "authorization", "cookie")


def make_proof(group: ServerGroup, owner: str, scope: Scope, headers: dict[str, str]) -> str:
    """Return the header for a request that is passed on to the server *owner*."""
    sent, peer = f"{time():.3f}", peer_of(scope)
    return f"{sent} {peer} {group.sign(_text(owner, sent, peer, scope, headers))}"


def accept_proof(group: ServerGroup, scope: Scope, headers: dict[str, str]) -> Scope:
    """Return a request as its client sent it, where a server passed it on; HttpRefusal."""
    given = headers.get(HEADER)
    if given is None:
        return scope
    sent, peer, signature = (given.split(" ") + [""] * 3)[:3]
    wanted = group.sign(_text(group.server, sent, peer, scope, headers))
    is_known = hmac.compare_digest(wanted.encode(), signature.encode("latin-1"))
    if not is_known or abs(time() - float(sent)) > _MAX_AGE_SECONDS:
        text = f"Not from a server of this group: {HEADER}"
        # It may be meant for the server that had this address before and was ended.
        raise HttpRefusal(403, wire.INVALID_REQUEST, text, headers={NOT_OWNER: "1"})
    return {**scope, "client": (peer, 0), FORWARDED: True}


def _text(owner: str, sent: str, peer: str, scope: Scope, headers: dict[str, str]) -> bytes:
    target = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    bound = [headers.get(name) for name in _BOUND]
    return json.dumps([owner, sent, peer, scope["method"], *target, *bound]).encode()
