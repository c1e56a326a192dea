"""Requests besides tools/call that run a toolset's handler: prompts, resources, completions.

They run as tools do, with arguments checked against a schema, cancellation, questions to the
person and log messages, but a failure is always a JSON-RPC error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from redline.core.call_scope import CallScope
from redline.core.errors import HistoryError, InvalidArgument, NotFound, RedlineError
from redline.core.text_limits import shorten
from redline.server.calls.arguments import nearest
from redline.server.calls.dispatch import Context, Dispatch
from redline.server.calls.elicitation.asking import NeedsAnswer
from redline.server.calls.prompts_and_resources import (
    is_offered,
    is_template,
    variables_of,
    wire_resource,
)
from redline.server.calls.results import Outcome, mask_outcome
from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import Refusal, StateRefused, check_cursor
from redline.toolsets.call import ListedResource, RpcFailure
from redline.toolsets.tool import READS, Json, Resource, Tool, load_function

RESOURCE_NOT_FOUND = -32002
_MAX_NAME_CHARS = 200
_MAX_COMPLETIONS = 100


class OtherRequests:
    """Answers these requests for every conversation; may be used from any number of threads."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self._offers = dispatch.server.offers
        # Handlers run as tools do; one for each handler, since schemas are compiled once.
        self._tools: dict[str, Tool] = {}

    def answer(self, method: str, params: Any, context: Context) -> Outcome:
        """Return the result object of *method*, or the JSON-RPC error to send."""
        methods: dict[str, Callable[[Json, Context], Json]] = {
            "prompts/get": self._get_prompt,
            "resources/list": self._list_resources,
            "resources/read": self._read_resource,
            "completion/complete": self._complete,
        }
        given = params if isinstance(params, dict) else {}
        secrets = context.secrets = self._dispatch.open_secrets(context.client)
        return mask_outcome(secrets, self._answer(methods[method], method, given, context))

    def _answer(
        self,
        answer: Callable[[Json, Context], Json],
        method: str,
        given: Json,
        context: Context,
    ) -> Outcome:
        request = f"{context.request_id}-{os.urandom(6).hex()}"
        try:
            return answer(given, context)
        except NeedsAnswer as needed:
            return needed.input_request()
        except Refusal as refusal:
            return RpcFailure(refusal.code, refusal.message, refusal.data)
        except StateRefused:
            return self._dispatch.refuse_state(method)
        except RedlineError as failure:
            self._dispatch.note_failure(failure, method, request, context)
            return _failure(failure, method, given, context)
        except Exception as failure:
            return self._dispatch.answer_bug(failure, method, request, context)

    # --- requests ----------------------------------------------------------------------------

    def _get_prompt(self, params: Json, context: Context) -> Json:
        name = _text(params, "name")
        prompt = self._offers.prompts.get(name)
        if prompt is None:
            raise _unknown("prompt", name, list(self._offers.prompts), "prompts/list")
        arguments = params.get("arguments")
        if not isinstance(arguments, dict | None):
            raise Refusal(wire.INVALID_PARAMS, "params.arguments must be an object")
        schema = _schema([each.name for each in prompt.arguments])
        schema["required"] = [each.name for each in prompt.arguments if each.required]
        result = self._run(f"prompts/{name}", prompt.handler, schema, arguments, params, context)
        messages = [{"role": "user", "content": block} for block in result.content]
        return {"description": prompt.description, "messages": messages}

    def _list_resources(self, params: Json, context: Context) -> Json:
        check_cursor(params)
        listed: list[Json] = []
        for resource in self._offers.resources.values():
            if not is_offered(resource, context.client):
                continue
            if not is_template(resource):
                listed.append(wire_resource(resource))
            elif resource.lister is not None:
                name = f"resources/list/{resource.name}"
                found = self._run(name, resource.lister, _schema([]), {}, {}, context)
                listed += [_wire_listed(each, resource) for each in found]
        return {"resources": listed, **_with_cache(context, 0)}

    def _read_resource(self, params: Json, context: Context) -> Json:
        uri = _text(params, "uri")
        found = self._offers.match(uri)
        if found is None or not is_offered(found.resource, context.client):
            raise _no_resource(uri, f"There is no resource with this address: {uri}", context)
        resource, arguments = found
        schema, name = _schema(list(arguments)), f"resources/{resource.name}"
        result = self._run(name, resource.handler, schema, arguments, params, context)
        contents = [_content(block, uri, resource) for block in result.content]
        return {"contents": contents, **_with_cache(context, resource.ttl_ms)}

    def _complete(self, params: Json, context: Context) -> Json:
        argument = params.get("argument")
        if not isinstance(argument, dict):
            raise Refusal(wire.INVALID_PARAMS, "params.argument must have a name and a value")
        name, value = _text(argument, "name"), _text(argument, "value")
        completer = self._find_completer(params.get("ref"), name)
        values: Sequence[str] = ()
        if completer is not None:
            schema = _schema([name])
            run_as = f"completion/{completer}/{name}"
            values = self._run(run_as, completer, schema, {name: value}, {}, context)
        has_more = len(values) > _MAX_COMPLETIONS
        return {"completion": {"values": list(values[:_MAX_COMPLETIONS]), "hasMore": has_more}}

    def _find_completer(self, ref: Any, name: str) -> str | None:
        completers = self._completers_of(ref)
        if name not in completers:
            raise _unknown("argument", name, list(completers), "the list it is from")
        return completers[name]

    def _completers_of(self, ref: Any) -> dict[str, str | None]:
        kind = ref.get("type") if isinstance(ref, dict) else None
        if kind == "ref/prompt":
            prompt = self._offers.prompts.get(_text(ref, "name"))
            if prompt is None:
                raise _unknown("prompt", ref["name"], list(self._offers.prompts), "prompts/list")
            return {each.name: each.completer for each in prompt.arguments}
        if kind == "ref/resource":
            resource = self._offers.resources.get(_text(ref, "uri"))
            if resource is None or not is_template(resource):
                known = list(self._offers.resources)
                raise _unknown("template", ref["uri"], known, "resources/templates/list")
            return dict.fromkeys(variables_of(resource), resource.completer)
        raise Refusal(wire.INVALID_PARAMS, "params.ref.type must be ref/prompt or ref/resource")

    def _run(
        self,
        name: str,
        handler: str,
        schema: Json,
        arguments: Json | None,
        params: Json,
        context: Context,
    ) -> Any:
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tools[name] = Tool(name, name, "", schema, handler, READS)
        given, secrets = arguments or {}, context.secrets
        if secrets is not None:
            given = secrets.restore(given)
        call = self._dispatch.build_call(tool, given, params, context)
        with CallScope(context.cancel, secrets):
            return load_function(handler)(call)


# --- words of the wire -------------------------------------------------------------------------


def _schema(names: Sequence[str]) -> Json:
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise Refusal(wire.INVALID_PARAMS, f"{name} must be a string")
    return value


def _with_cache(context: Context, ttl_ms: int) -> Json:
    if not context.client.is_modern:
        return {}
    return {**revisions.CHANGING_LIST, "ttlMs": ttl_ms}


def _wire_listed(each: ListedResource, template: Resource) -> Json:
    shown = template._replace(
        uri=each.uri,
        name=each.name,
        title=each.title or each.name,
        description=each.description or template.description,
    )
    return wire_resource(shown)


def _content(block: Json, uri: str, resource: Resource) -> Json:
    body: Json = {"uri": uri, "mimeType": block.get("mimeType", resource.mime_type)}
    body |= {"text": block["text"]} if "text" in block else {"blob": block["data"]}
    return body if resource.meta is None else {**body, "_meta": resource.meta}


def _unknown(kind: str, name: str, legal: Sequence[str], see: str) -> Refusal:
    near, given = nearest(name, legal), shorten(name, _MAX_NAME_CHARS)
    hint = f"did you mean {near}?" if near else f"see {see}"
    return Refusal(wire.INVALID_PARAMS, f"Unknown {kind}: {given}\nhint: {hint}")


def _no_resource(uri: str, text: str, context: Context) -> Refusal:
    # -32002 is the code of the handshake era; 2026-07-28 retired it.
    code = wire.INVALID_PARAMS if context.client.is_modern else RESOURCE_NOT_FOUND
    return Refusal(code, text, {"uri": uri})


def _failure(failure: RedlineError, method: str, params: Json, context: Context) -> RpcFailure:
    if isinstance(failure, NotFound | HistoryError):
        if method == "resources/read":
            refusal = _no_resource(params["uri"], failure.text, context)
            return RpcFailure(refusal.code, refusal.message, refusal.data)
        return RpcFailure(wire.INVALID_PARAMS, failure.text)
    if isinstance(failure, InvalidArgument):
        return RpcFailure(wire.INVALID_PARAMS, failure.text)
    return RpcFailure(wire.INTERNAL_ERROR, failure.text)
