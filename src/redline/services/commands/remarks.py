"""What is worth saying about a command that ran: limits, side effects, why it may have failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.core.ports.commands import JobState, SandboxFacts

_REFUSED = (
    r"(?:Read-only file system|Permission denied|Operation not permitted|Device or resource busy)"
)
_GIT = re.compile(rf"\.git\b[^\n]*{_REFUSED}|{_REFUSED}[^\n]*\.git\b")
_GIT_HINT = (
    "The person who runs the server can allow it: REDLINE_GIT_WRITES=1, or git_writes = true in"
    " the config file"
)
_NETWORK = re.compile(
    r"Could not resolve|Temporary failure in name resolution|Name or service not known"
    r"|Network is unreachable|EAI_AGAIN|ENETUNREACH|ENOTFOUND|dns error"
    r"|NameResolutionError|Failed to establish a new connection"
)


def remarks_on(
    state: JobState,
    facts: SandboxFacts,
    notes: Sequence[str],
    output: str,
    network_hint: str,
    background_hint: str = "",
) -> Iterator[str]:
    """Yield what the caller should know beside the output.

    *notes* are those of the ended command; *network_hint* says how to get the network,
    *background_hint* how to keep a process.
    """
    yield from facts.warnings
    if state.has_ended:
        yield from notes
    if state.has_ended:
        yield from _explain_failure(output, facts, network_hint)
    # What a command over its time, or killed, was doing was not in the background.
    if state.left_behind and state.status == "exited":
        ended = f"Background processes were ended with the command: {state.left_behind}"
        yield ended + background_hint


def _explain_failure(output: str, facts: SandboxFacts, network_hint: str) -> Iterator[str]:
    """Yield why the sandbox may be the reason of a failure; only ever a hint.

    The program that failed may stand before a pipe or a `;`, so its line need not have failed.
    """
    if "of .git its data" in facts.fs and _GIT.search(output):
        yield (
            "Commands may not write the configuration and hooks of git here; `git -c KEY=VALUE`"
            f" sets a value for one command. {_GIT_HINT}"
        )
    elif ".git read-only" in facts.fs and _GIT.search(output):
        yield f"Commands may not write .git here. {_GIT_HINT}"
    if not _NETWORK.search(output):
        return
    if facts.net.startswith("only "):
        yield (
            f"This command reaches {facts.net}, and these only through the proxy that HTTP_PROXY"
            " and HTTPS_PROXY name: a program that looks up names itself finds none"
        )
    elif facts.net == "none":
        yield f"This command had no network. {network_hint}"
