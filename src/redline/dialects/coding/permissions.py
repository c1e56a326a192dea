"""request_permissions: a person is asked where the client can ask; nothing is granted silently."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from redline.core.ports.grants import Grant
from redline.dialects.coding.answer import failure, success
from redline.dialects.tool import Call, Json, Question, Result

# apply_patch is journalled and undoable; it asks for no permission.
_NEEDS_NONE = ("apply_patch",)
_SHOWN = 300


def owner_of(call: Call) -> str:
    """Who a grant belongs to: one principal on one connection."""
    return f"{call.client.principal}\0{call.client.connection}"


def request_permissions(call: Call) -> Result:
    """Ask the person for a permission, or say why nothing was granted."""
    if call.runtime.options.get("sandbox") == "dangerous":
        return _everything_allowed(call)
    if call.ask is None:
        return _unsupported(call)
    if call.arguments["tool_name"] in _NEEDS_NONE:
        return success({"status": "not_required", "grant_id": None, "expires_at": None})
    answer = call.ask(_question(call.arguments))
    if not answer.accepted or answer.content.get("decision", "allow") != "allow":
        return _denied(call, answer.action)
    return _granted(call)


def _question(arguments: Json) -> Question:
    lasting = (
        f"for every {arguments['tool_name']} call during {_ttl(arguments)} seconds"
        if arguments.get("scope") == "session"
        else f"for one call within {_ttl(arguments)} seconds"
    )
    shown = ", ".join(f"{key}={_short(value)}" for key, value in arguments["arguments"].items())
    return Question(
        f"Allow {arguments['permission']} for {arguments['tool_name']} {lasting}?\n"
        f"Call: {shown or '(no arguments given)'}\nReason given: {_short(arguments['reason'])}",
        {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "Decision",
                    "enum": ["allow", "deny"],
                    "default": "deny",
                }
            },
            "required": ["decision"],
        },
        key="permission",
    )


def _short(value: Any) -> str:
    from redline.core.diff import visible

    text, _ = visible(str(value))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _ttl(arguments: Json) -> int:
    return int(arguments.get("ttl_seconds", 300))


def _granted(call: Call) -> Result:
    import secrets

    arguments = call.arguments
    grant = Grant(
        id=f"grant-{secrets.token_urlsafe(12)}",
        owner=owner_of(call),
        tool=arguments["tool_name"],
        permission=arguments["permission"],
        scope=arguments.get("scope", "once"),
        expires_at=time.time() + _ttl(arguments),
        arguments=arguments["arguments"],
        reason=arguments["reason"],
    )
    # Written down first: a permission that is not in the journal is not given.
    lasting = "one call" if grant.scope == "once" else f"{_ttl(arguments)} s"
    noted = call.runtime.editor.note_grant(
        call.origin(f"{grant.permission} for {grant.tool}, {lasting}: {_short(grant.reason)}")
    )
    call.runtime.grants.add(grant)
    constraints: Json = {"tool_name": grant.tool, "permission": grant.permission}
    constraints |= {"scope": grant.scope}
    if grant.scope == "once":
        constraints["arguments"] = dict(grant.arguments)
    return success(
        {
            "status": "granted",
            "grant_id": grant.id,
            "expires_at": _iso(grant.expires_at),
            "constraints": constraints,
            "id": noted.id,
            "warnings": [],
        }
    )


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _denied(call: Call, action: str) -> Result:
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


def _unsupported(call: Call) -> Result:
    return failure(
        "ELICITATION_UNSUPPORTED",
        f"Permission was not granted: {call.arguments['permission']}"
        "\nhint: this client cannot ask a person; restart the server with --sandbox trusted, or"
        " do it another way",
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
