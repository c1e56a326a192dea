"""Why a command failed, when it looks as if the sandbox held it back; only ever a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.core.ports.commands import SandboxFacts

_REFUSED = r"(?:Read-only file system|Permission denied|Operation not permitted)"
_GIT = re.compile(rf"\.git\b[^\n]*{_REFUSED}|{_REFUSED}[^\n]*\.git\b")
_NETWORK = re.compile(
    r"Could not resolve|Temporary failure in name resolution|Name or service not known"
    r"|Network is unreachable|EAI_AGAIN|ENETUNREACH|ENOTFOUND|dns error"
    r"|NameResolutionError|Failed to establish a new connection"
)


def explanations(said: str, facts: SandboxFacts) -> Iterator[str]:
    """What to tell about a failed command that wrote *said* under *facts*."""
    if ".git read-only" in facts.fs and _GIT.search(said):
        yield (
            "Commands may not write .git here. The person who runs the server can allow it:"
            " REDLINE_GIT_WRITES=1, or git_writes = true in the config file"
        )
    if facts.net == "none" and _NETWORK.search(said):
        yield (
            "This command had no network. Ask with request_permissions(tool_name='exec_command',"
            " permission='network', ...) and repeat the call"
        )
