"""request_permissions: a person is asked where the client can ask; nothing is granted silently."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from redline.core.access.rights import Right
from redline.core.errors import InvalidArgument
from redline.core.ports.review import HeldState
from redline.core.ports.session_memory import Grant
from redline.services.names import iso_time
from redline.toolsets.call import Call, Question, Result
from redline.toolsets.coding_tools.answer import failure, success
from redline.toolsets.consent import decision_question, digest_of, quote
from redline.toolsets.permission import ON_PAGE, ask_for_call, ask_person, is_allowed_on_page
from redline.toolsets.tool import Json

NETWORK_HINT = (
    "Ask with request_permissions(tool_name='exec_command', permission='network', ...) and repeat"
    " the call"
)
# apply_patch is journalled and undoable; it asks for no permission by this tool.
_NEEDS_NONE = ("apply_patch",)
_CANNOT_ASK = {
    "exec_command": "this client cannot ask a person; call exec_command, the person is asked on"
    " the review page (redline review), or restart the server with --sandbox trusted",
    "apply_patch": "this client cannot ask a person; apply_patch needs no permission: call it",
}
# What decides what a command does, with the values of a call that does not name them.
_DEFAULTS: Json = {
    "workdir": ".",
    "env": {},
    "stdin": "",
    "tty": False,
    "timeout_ms": 30000,
    "dry_run": False,
}
_ALWAYS_SHOWN = ("cmd", "workdir", "env", "stdin")
# These decide only how its output is answered.
_OF_THE_ANSWER = frozenset({"yield_time_ms", "max_output_bytes", "rows", "cols"})


def digest_of_command(arguments: Mapping[str, Any]) -> str:
    """The hash that a grant for an exec_command call is bound to."""
    return digest_of("exec_command", _complete(arguments))


class ExecPermits:
    """See `services.commands.check.Permits`: grants of request_permissions, else a question."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def consume(self, permission: str) -> Grant | None:
        """Take a grant that was given for this very call."""
        digest = digest_of_command(self._call.arguments)
        owner = self._call.owner
        return self._call.runtime.grants.consume(owner, "exec_command", permission, digest)

    @property
    def can_ask(self) -> bool:
        """Whether the person is asked here: a client with a session asks for a grant first."""
        return self._call.ask is not None and not self._call.client.has_session

    def ask(self, permissions: Sequence[str]) -> None:
        """Ask for *permissions* within the call; PermissionDenied."""
        ask_for_call(self._call, permissions, _describe(self._call.arguments))

    def is_allowed_on_page(self, permissions: Sequence[str]) -> bool:
        """Put the whole call on the review page where the client cannot ask; PermissionDenied."""
        described = _describe(self._call.arguments)
        return self._call.ask is None and is_allowed_on_page(self._call, permissions, described)

    def hint(self, permission: str) -> str:
        """Name the tool that asks the person."""
        page = f"; {ON_PAGE}" if self._call.ask is None else ""
        return (
            f"ask with request_permissions(tool_name='exec_command',"
            f" permission='{permission}', ...) and repeat the call, or do it another way{page}"
        )


def request_permissions(call: Call) -> Result:
    """Ask the person for a permission, or say why nothing was granted."""
    if call.runtime.options.get("sandbox") == "dangerous":
        return _everything_allowed(call)
    if Right.APPROVE not in call.client.rights:
        return _answer_unsupported(
            call, f"{call.client.principal} does not have the right to approve; do it another way"
        )
    if call.ask is None:
        return _answer_unsupported(call, _CANNOT_ASK[call.arguments["tool_name"]])
    if call.arguments["tool_name"] in _NEEDS_NONE:
        return success({"status": "not_required", "grant_id": None, "expires_at": None})
    if not call.client.has_session:
        # Nothing tells this client from others of its principal: a grant would be theirs too.
        return _answer_unsupported(
            call, "without a session nothing is kept: call exec_command, the person is asked there"
        )
    decision = ask_person(call, _question(call.arguments), "")
    if decision is None or decision.state is not HeldState.APPROVED:
        return _answer_denied(call, "cancel" if decision is None else "decline")
    return _answer_granted(call)


def _question(arguments: Json) -> Question:
    if not arguments["arguments"].get("cmd"):
        raise InvalidArgument(
            "arguments must be those of the whole call; cmd is missing",
            field="arguments",
            hint="pass the arguments exec_command will be called with",
        )
    seconds = _ttl(arguments)
    remembered = (
        f"for this call, as often as it is made during {seconds} seconds"
        if arguments.get("scope") == "session"
        else f"for this one call within {seconds} seconds"
    )
    message = (
        f"Allow {arguments['permission']} for {arguments['tool_name']} {remembered}?\n"
        f"{_describe(arguments['arguments'])}\nReason given: {quote(arguments['reason'])}"
    )
    return decision_question(message, "permission")


def _complete(arguments: Mapping[str, Any]) -> Json:
    given = {key: value for key, value in arguments.items() if key not in _OF_THE_ANSWER}
    return {**_DEFAULTS, **given}


def _describe(arguments: Mapping[str, Any]) -> str:
    """Everything the grant is bound to, one line each."""
    return "\n".join(
        f"{quote(key)[1:-1]}: {quote(value)}"
        for key, value in sorted(_complete(arguments).items(), key=_in_order)
        if key in _ALWAYS_SHOWN or value != _DEFAULTS.get(key)
    )


def _in_order(item: tuple[str, Any]) -> tuple[int, str]:
    key = item[0]
    return (_ALWAYS_SHOWN.index(key) if key in _ALWAYS_SHOWN else len(_ALWAYS_SHOWN)), key


def _ttl(arguments: Json) -> int:
    return int(arguments.get("ttl_seconds", 300))


def _answer_granted(call: Call) -> Result:
    import secrets

    arguments = call.arguments
    grant = Grant(
        id=f"grant-{secrets.token_urlsafe(12)}",
        owner=call.owner,
        tool=arguments["tool_name"],
        permission=arguments["permission"],
        scope=arguments.get("scope", "once"),
        expires_at=time.time() + _ttl(arguments),
        digest=digest_of_command(arguments["arguments"]),
        reason=arguments["reason"],
    )
    # Written down first: a permission that is not in the journal is not given.
    remembered = "one call" if grant.scope == "once" else f"{_ttl(arguments)} s"
    noted = call.runtime.editor.note_grant(
        call.origin(f"{grant.permission} for {grant.tool}, {remembered}: {quote(grant.reason)}")
    )
    call.runtime.grants.add(grant)
    constraints: Json = {"tool_name": grant.tool, "permission": grant.permission}
    constraints |= {"scope": grant.scope, "arguments": dict(arguments["arguments"])}
    return success(
        {
            "status": "granted",
            "grant_id": grant.id,
            "expires_at": iso_time(grant.expires_at),
            "constraints": constraints,
            "id": noted.id,
            "warnings": [],
        }
    )


def _answer_denied(call: Call, action: str) -> Result:
    return failure(
        "PERMISSION_DENIED",
        f"Permission denied by the person ({action}): {call.arguments['permission']}"
        "\nhint: go on without it, or explain in `reason` why it is needed",
        "permission",
        details={"requested": call.arguments, "action": action},
        status="denied",
        grant_id=None,
        expires_at=None,
    )


def _answer_unsupported(call: Call, hint: str) -> Result:
    return failure(
        "ELICITATION_UNSUPPORTED",
        f"Permission was not granted: {call.arguments['permission']}\nhint: {hint}",
        "permission",
        details={"requested": call.arguments},
        status="unsupported",
        grant_id=None,
        expires_at=None,
    )


def _everything_allowed(call: Call) -> Result:
    workspace = call.runtime.workspace.roots[0].path
    return success(
        {
            "status": "granted",
            "grant_id": "dangerously-skip-all-permissions",
            "expires_at": None,
            "constraints": {
                "mode": "dangerous",
                "workspace": workspace,
                "requested": call.arguments,
            },
            "warnings": ["every permission check is off: the server runs in dangerous mode"],
        }
    )
