"""The prompts and resources of the toolsets that are on: chosen, listed and found."""

# Without `from __future__ import annotations`: annotations of named tuples that are text would be
# compiled whenever a server starts.
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from redline.server.calls.catalog import Catalog, CatalogError
from redline.toolsets.tool import APP_TYPE, Client, Json, Prompt, Resource

# Requests besides tools/call that a toolset's handler answers.
HANDLED = frozenset({"prompts/get", "resources/list", "resources/read", "completion/complete"})


_RESOURCES: Json = {"subscribe": False, "listChanged": False}


class MatchedResource(NamedTuple):
    """A resource, and the arguments that an address has for its template."""

    resource: Resource
    arguments: Json


class Offers:
    """What clients may show besides tools."""

    def __init__(self, catalog: Catalog) -> None:
        self.prompts = {each.name: each for each in _collect_offers(catalog, "prompts")}
        self.resources = {each.uri: each for each in _collect_offers(catalog, "resources")}
        completes = any(
            argument.completer for prompt in self.prompts.values() for argument in prompt.arguments
        ) or any(resource.completer for resource in self.resources.values())
        self.capabilities: Json = {}
        if self.prompts:
            self.capabilities["prompts"] = {"listChanged": False}
        if any(resource.mime_type != APP_TYPE for resource in self.resources.values()):
            self.capabilities["resources"] = _RESOURCES
        if completes:
            self.capabilities["completions"] = {}
        # What clients that show pages are offered.
        self.app_capabilities = {"resources": _RESOURCES} if self.resources else {}
        declared = {**self.capabilities, **self.app_capabilities}
        areas = {"completion" if area == "completions" else area for area in declared}
        self.handled = frozenset(name for name in HANDLED if name.partition("/")[0] in areas)

    def list(self, method: str) -> Json | None:
        """Return a list that needs no handler; None where the server does not offer it."""
        if method == "prompts/list":
            listed = [_wire_prompt(prompt) for prompt in self.prompts.values()]
            return {"prompts": listed} if listed else None
        if not self.resources:
            return None
        templates = (each for each in self.resources.values() if is_template(each))
        return {"resourceTemplates": [wire_resource(each, "uriTemplate") for each in templates]}

    def match(self, uri: str) -> MatchedResource | None:
        """Return the resource at an address; an address of its own precedes a template."""
        exact = self.resources.get(uri)
        if exact is not None and not is_template(exact):
            return MatchedResource(exact, {})
        for resource in self.resources.values():
            arguments = _fill(resource.uri, uri) if is_template(resource) else None
            if arguments is not None:
                return MatchedResource(resource, arguments)
        return None


def is_offered(resource: Resource, client: Client) -> bool:
    """Return whether *client* is offered a resource: pages only if it shows them."""
    return resource.mime_type != APP_TYPE or client.shows_apps


def is_template(resource: Resource) -> bool:
    """Return whether a resource has many addresses."""
    return "{" in resource.uri


def variables_of(resource: Resource) -> Sequence[str]:
    """Return the names in a template."""
    return [piece.partition("}")[0] for piece in resource.uri.split("{")[1:]]


def wire_resource(resource: Resource, address: str = "uri") -> Json:
    """Return a resource as lists show it, with its address under the name *address*."""
    body: Json = {
        address: resource.uri,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mimeType": resource.mime_type,
    }
    return body if resource.meta is None else {**body, "_meta": resource.meta}


def _collect_offers(catalog: Catalog, kind: str) -> Iterator[Any]:
    names, known = set(catalog.names), dict[str, Any]()
    for toolset in catalog.toolsets:
        for each in getattr(toolset, kind):
            if not names.issuperset(each.tools):
                continue
            if each[0] not in known:
                known[each[0]] = each
                yield each
            elif known[each[0]].handler != each.handler:
                raise CatalogError(f"Two toolsets have the same of {kind}: {each[0]}")


def _wire_prompt(prompt: Prompt) -> Json:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": each.name, "description": each.description, "required": each.required}
            for each in prompt.arguments
        ],
    }


def _fill(template: str, uri: str) -> Json | None:
    import re
    from urllib.parse import unquote

    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/?#]+)", re.escape(template))
    found = re.fullmatch(pattern, uri)
    if found is None:
        return None
    return {name: unquote(text) for name, text in found.groupdict().items()}
