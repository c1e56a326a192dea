"""The person behind a client, and what this person may do."""

# Without `from __future__ import annotations`: annotations of named tuples that are text would be
# compiled whenever a server starts.
from typing import NamedTuple

from redline.core.access.rights import ALL_RIGHTS, Rights


class Person(NamedTuple):
    """A principal as authentication found it.

    `scoped` is True when an access token limits the rights, so that a client can ask its issuer
    for a token with more. The limits replace those of the server for this person.
    """

    name: str = ""
    rights: Rights = ALL_RIGHTS
    scoped: bool = False
    rate_limit: float | None = None
    max_calls: int | None = None


# The person at stdio, and anybody where the server asks for no token.
OWNER = Person()
