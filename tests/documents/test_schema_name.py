"""The schema that a document names itself."""

from __future__ import annotations

from typing import Any

from redline.documents.formats import open_document
from redline.documents.json.document import JsonDocument
from redline.documents.schema import named_schema


class _WithoutValues(JsonDocument):
    """A document that must not be turned into values, which take many times its size."""

    def data(self) -> Any:
        raise AssertionError("the values of the whole document are not needed")


def test_a_document_that_names_no_schema_is_not_turned_into_values() -> None:
    assert named_schema(_WithoutValues(b'{"a": {"$schema": "x"}}')) is None
    assert named_schema(_WithoutValues(b'[{"$schema": "x"}]')) is None
    assert named_schema(JsonDocument(b'{"a": 1, "$schema": "own.json"}')) == "own.json"
    assert named_schema(open_document(b'"$schema" = "own.json"\n', "toml")) == "own.json"
    assert named_schema(open_document(b"a: 1\n$schema: own.json\n", "yaml")) == "own.json"
