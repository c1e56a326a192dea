"""What a preview leaves behind for apply: document, typed operations, origin."""

from __future__ import annotations

import secrets
import time
from typing import Any

from redline.core.changes import digest_of
from redline.core.errors import SessionNotFound
from redline.core.ports.previews import Previews, StoredPreview
from redline.core.records import dataclass, field, replace
from redline.instruct.engine import Candidate
from redline.instruct.model.operations import DocumentOperation, NoValue
from redline.instruct.model.values import Num, Value, dumps, parse, render, type_name

Json = dict[str, Any]
LIFETIME = 30 * 60.0
MAX_SHOWN = 10  # changes of a candidate, or of a preview with very many


@dataclass(frozen=True, slots=True)
class Session:
    """A stored preview: its operations, or the readings to choose from.

    `file` is the workspace file it is of, empty for an inline document;
    `results` keeps each answer of apply under the ids it was asked for;
    `original` is the previewed file, kept once a part of its changes was applied."""

    document: Value
    operations: tuple[DocumentOperation, ...]
    status: str
    document_hash: str
    file: str = ""
    form: str = "json"
    results: dict[str, Any] = field(default_factory=dict)
    candidates: tuple[tuple[DocumentOperation, ...], ...] = ()
    original: bytes = b""

    def encode(self) -> bytes:
        """Return the stored form; numbers keep their text."""
        body = {
            "document": None if self.file else self.document,
            "operations": [operation.to_json() for operation in self.operations],
            "status": self.status,
            "hash": self.document_hash,
            "file": self.file,
            "form": self.form,
            "results": self.results,
            "candidates": [[o.to_json() for o in operations] for operations in self.candidates],
            "original": self.original.decode("latin-1"),
        }
        return dumps(body).encode("utf-8", "surrogatepass")

    @classmethod
    def decode(cls, payload: bytes) -> Session:
        """The inverse of `encode`."""
        body: Any = parse(payload.decode("utf-8", "surrogatepass"))
        return cls(
            body["document"],
            tuple(DocumentOperation.from_json(stored) for stored in body["operations"]),
            body["status"],
            body["hash"],
            body["file"],
            body["form"],
            body["results"],
            tuple(
                tuple(DocumentOperation.from_json(stored) for stored in operations)
                for operations in body.get("candidates", ())
            ),
            body.get("original", "").encode("latin-1"),
        )

    def choices(self) -> dict[str, tuple[DocumentOperation, ...]]:
        """Return the readings a caller may choose from, by id."""
        return {candidate_id(place): held for place, held in enumerate(self.candidates)}

    def with_result(self, key: str, result: Json, original: bytes = b"") -> Session:
        """Return the session that remembers one more answer."""
        results = {**self.results, key: result}
        return replace(self, results=results, original=original or self.original)


def hash_of(document: Value) -> str:
    """The version of an inline document."""
    return digest_of(dumps(document).encode("utf-8", "surrogatepass"))


def store(previews: Previews, session: Session, principal: str) -> str:
    """Keep *session* and return its new id."""
    session_id = "sess_" + secrets.token_hex(16)
    expires = time.time() + LIFETIME
    previews.save(StoredPreview(session_id, principal, session.encode(), expires))
    return session_id


def load(previews: Previews, session_id: str, principal: str) -> tuple[StoredPreview, Session]:
    """The live session of that principal; SessionNotFound."""
    stored = previews.get(session_id, principal)
    if stored is None:
        raise SessionNotFound(
            f"Session not found or expired: {session_id}",
            hint="Call json_editor_preview again and use its session_id",
        )
    return stored, Session.decode(stored.payload)


def change_id(place: int) -> str:
    """The id of the change at *place*, counted from 0."""
    return f"change_{place + 1:03d}"


def candidate_id(place: int) -> str:
    """Return the id of the reading at *place*, counted from 0."""
    return f"candidate_{place + 1}"


def shown(value: Value | NoValue) -> str:
    """A value in a preview; nothing for one that is not there."""
    return "" if isinstance(value, NoValue) else render(value)


def type_of(value: Value | NoValue) -> str:
    """The JSON type of a value, or absent."""
    return "absent" if isinstance(value, NoValue) else type_name(value)


def candidate_json(place: int, candidate: Candidate) -> Json:
    """Return one reading as a preview lists it."""
    name = candidate_id(place)
    return {
        "id": name,
        "says": candidate.says,
        "changes": [
            change_json(i, o, f"{name}_") for i, o in enumerate(candidate.operations[:MAX_SHOWN])
        ],
    }


def change_json(place: int, operation: DocumentOperation, prefix: str = "") -> Json:
    """Return one change as a preview lists it."""
    new = operation.value
    body: Json = {
        "id": prefix + change_id(place),
        "path": list(operation.path),
        "current_value": shown(operation.old),
        "proposed_value": shown(new),
        "op": operation.op,
        "current_type": type_of(operation.old),
        "proposed_type": type_of(new),
    }
    if operation.confidence is not None:
        body["confidence"] = operation.confidence
    if not isinstance(new, NoValue):
        body["value_json"] = dumps(new)
    if operation.new_path is not None:
        body["new_path"] = list(operation.new_path)
    return body


def is_exact(value: Value) -> bool:
    """Whether plain numbers carry every number of *value* as it is written."""
    if isinstance(value, dict):
        return all(map(is_exact, value.values()))
    if isinstance(value, list):
        return all(map(is_exact, value))
    if isinstance(value, Num):
        if value.is_integer:
            return len(value.text) < 19 and value.text != "-0"
        return repr(float(value.text)) == value.text
    return True
