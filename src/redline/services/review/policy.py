"""The policy for people: is it valid, and what would it say about a file?"""

from __future__ import annotations

from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.core.ports.review import RuleReport
from redline.documents.base.path import parse_path
from redline.services.runtime import Runtime


def explain_path(
    runtime: Runtime, path: str, origin: Origin, field: str | None = None
) -> list[RuleReport]:
    """Return what each rule says about a file, up to the one that decides for certain.

    *field* is a value inside the document. What *origin* leaves empty is not known. None of the
    files need to exist. PolicyUnreadable.
    """
    place = runtime.workspace.resolve(path, Access.READ)
    steps = None if field is None else tuple(str(step) for step in parse_path(field))
    return list(runtime.rules.explain(place, origin, steps))
