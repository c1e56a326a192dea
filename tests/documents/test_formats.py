"""Which format a file is in."""

from __future__ import annotations

import pytest

from redline.core.errors import InvalidArgument
from redline.documents.formats import detect, open_document


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.yaml", "yaml"),
        ("dir/a.YML", "yaml"),
        ("package.json", "json"),
        ("tsconfig.json", "jsonc"),
        ("tsconfig.base.json", "jsonc"),
        ("x/.vscode/settings.json", "jsonc"),
        ("a.jsonc", "jsonc"),
        ("a.json5", "json5"),
        ("pyproject.toml", "toml"),
        ("Cargo.lock", "toml"),
        (".clang-format", "yaml"),
    ],
)
def test_names_tell_the_format(name: str, form: str) -> None:
    assert detect(name, b"") == form


@pytest.mark.parametrize(
    ("source", "form"),
    [
        (b'{"a": 1}', "json"),
        (b'// c\n{"a": 1,}', "jsonc"),
        (b"{a: 1,}", "json5"),
        (b"[a]\nb = 1\n", "toml"),
        (b"b = 'x' # c\n", "toml"),
        (b"a:\n  - 1\n", "yaml"),
        (b"", "yaml"),
        (b"[1, two]\n", "yaml"),
    ],
)
def test_content_tells_it_where_the_name_does_not(source: bytes, form: str) -> None:
    assert detect("settings", source) == form
    assert open_document(source, form).source == source


def test_the_caller_may_insist_but_not_invent() -> None:
    assert detect("a.json", b"{}", "json5") == "json5"
    with pytest.raises(InvalidArgument):
        detect("a.json", b"{}", "xml")


def test_only_yaml_has_several_documents() -> None:
    with pytest.raises(InvalidArgument):
        open_document(b"{}", "json", 1)
    with pytest.raises(InvalidArgument):
        open_document(b"a: 1\n", "yaml", -1)
