"""The error object of the json toolset and its eleven codes."""

from __future__ import annotations

import time
from typing import Any

from redline.core import errors as e
from redline.instruct.model.values import dumps
from redline.services.names import iso_time
from redline.toolsets.call import FailedCall, Result
from redline.toolsets.tool import Json

MAX_INSTRUCTION = 1000
_PROVIDER = {"rate_limit": "LLM_RATE_LIMIT", "timeout": "LLM_TIMEOUT"}
# The first class that fits decides; subclasses come before their parents.
_CODES: tuple[tuple[type[e.RedlineError], str], ...] = (
    (e.InvalidArgument, "INVALID_INPUT"),
    (e.TooLarge, "DOCUMENT_TOO_LARGE"),
    (e.UnsupportedEncoding, "INVALID_JSON"),
    (e.BinaryFile, "INVALID_JSON"),
    (e.PathError, "INVALID_INPUT"),
    (e.DocumentSyntax, "INVALID_JSON"),
    (e.SessionError, "SESSION_NOT_FOUND"),
    (e.StaleBase, "DOCUMENT_CHANGED"),
    (e.StoreUnavailable, "REDIS_CONNECTION_ERROR"),
)
_EXACT = "Give exact paths, e.g. /a/b = 1, which need no model"
# The type of error that each code is, and what to do.
_KINDS: dict[str, tuple[str, ...]] = {
    "INVALID_INPUT": ("validation", "Check the parameters against the tool's input schema"),
    "INVALID_JSON": ("validation", "Check that the JSON is properly formatted"),
    "DOCUMENT_TOO_LARGE": (
        "validation",
        "Send only the part of the document that is to change",
        "Use document_path for a file in the workspace",
    ),
    "INSTRUCTION_TOO_LONG": ("validation", "Split the instruction into several shorter ones"),
    "LLM_SERVICE_ERROR": ("llm_service", "Try again later", _EXACT),
    "LLM_RATE_LIMIT": ("llm_service", "Wait and try again", _EXACT),
    "LLM_TIMEOUT": ("llm_service", "Try again", _EXACT),
    "SESSION_NOT_FOUND": ("session", "Call json_editor_preview again and use its session_id"),
    "DOCUMENT_CHANGED": ("session", "Call json_editor_preview again on the current document"),
    "PROCESSING_ERROR": ("processing", "Call json_editor_preview again"),
    "REDIS_CONNECTION_ERROR": (
        "processing",
        "Try again when the session store is back",
        "Check the --sessions setting",
    ),
}


def code_of(error: e.RedlineError) -> str:
    """Return the code of *error*."""
    if isinstance(error, e.ProviderFailed):
        return _PROVIDER.get(error.kind, "LLM_SERVICE_ERROR")
    if error.details.get("reason") == "instruction_too_long":
        return "INSTRUCTION_TOO_LONG"
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return "PROCESSING_ERROR"


def word(error: e.RedlineError, call: FailedCall) -> Result:
    """Return the failure as the error object, structured and as text."""
    code, message, details, advice = _facts(error, call)
    body: Json = {
        "error": {
            "code": code,
            "message": message,
            "data": {
                "error_type": _KINDS[code][0],
                "details": details,
                "suggestions": advice,
                "debug_info": {
                    "request_id": f"req_{call.request_id}" if call.request_id else "req_unknown",
                    "timestamp": now(),
                },
            },
        }
    }
    return Result.of_text(dumps(body), body, is_error=True)


def now() -> str:
    """Return the time in the form the replies use."""
    return iso_time(time.time())


def _facts(error: e.RedlineError, call: FailedCall) -> tuple[str, str, Json, list[str]]:
    if isinstance(error, e.InvalidArgument):
        found = _argument_facts(call)
        if found is not None:
            return found
    code = code_of(error)
    if isinstance(error, e.ProviderFailed):
        return code, *_provider_facts(error, code)
    message = error.message
    details: Json = {
        "field": str(error.details.get("field") or _field(error, call)),
        "reason": _reason(error),
    }
    for name in ("kind", "line", "column", "limit"):
        if name in error.details:
            details[name] = error.details[name]
    return code, message, details, _advice(error, code)


def _reason(error: e.RedlineError) -> str:
    """Return what is wrong in detail: of arguments, what is wrong with each."""
    problems = "; ".join(error.details.get("problems", ()))
    hint = error.hint if isinstance(error, e.InvalidArgument) else None
    return problems or str(error.details.get("reason_text") or hint or error.message)


def _advice(error: e.RedlineError, code: str) -> list[str]:
    """Return what to do: the error's own hint first, general advice for an internal error."""
    own = [error.hint] if error.hint else []
    general = () if own and code == "PROCESSING_ERROR" else _KINDS[code][1:]
    return list(dict.fromkeys((*own, *general)))


def _provider_facts(error: e.ProviderFailed, code: str) -> tuple[str, Json, list[str]]:
    """Return our own words for a provider's failure: what it says itself is not passed on."""
    from redline.services.instructions import failure_text  # late: most calls succeed

    text = failure_text(error.kind)
    message = text[:1].upper() + text[1:]
    return (
        message,
        {"field": "instruction", "reason": message, "kind": error.kind},
        [*_KINDS[code][1:]],
    )


def _field(error: e.RedlineError, call: FailedCall) -> str:
    if isinstance(error, e.SessionError):
        return "session_id"
    if isinstance(error, e.PathError | e.DocumentError | e.StaleBase):
        return "document_path" if call.arguments.get("document_path") else "document"
    return "session_id" if call.tool == "json_editor_apply" else "instruction"


def _argument_facts(call: FailedCall) -> tuple[str, str, Json, list[str]] | None:
    """Return the commonest malformed calls, said in full."""
    arguments = call.arguments
    instruction = arguments.get("instruction")
    if isinstance(instruction, str) and len(instruction) > MAX_INSTRUCTION:
        reason = f"{len(instruction)} characters, at most {MAX_INSTRUCTION} are allowed"
        return (
            "INSTRUCTION_TOO_LONG",
            f"Instruction exceeds {MAX_INSTRUCTION} characters",
            {"field": "instruction", "reason": reason, "limit": MAX_INSTRUCTION},
            list(_KINDS["INSTRUCTION_TOO_LONG"][1:]),
        )
    if "document" in arguments and not isinstance(arguments["document"], dict | list):
        return (
            "INVALID_INPUT",
            "Document must be a valid JSON object",
            {
                "field": "document",
                "reason": f"Expected object, received {_json_type(arguments['document'])}",
            },
            [
                "Ensure the document parameter contains a valid JSON object",
                "Check that the JSON is properly formatted",
            ],
        )
    return None


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string"
