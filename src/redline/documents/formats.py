"""Which format a file is in, by its name or else by its content, and the engine for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.core.errors import DocumentSyntax, InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.wording import naming
from redline.documents.base.depth import too_deep

if TYPE_CHECKING:
    from redline.documents.base.model import Document

_EXTENSIONS = {
    "yaml": ("yaml", "yml", "clang-format", "clang-tidy", "cff", "eyaml", "sls"),
    "json": ("json", "geojson", "webmanifest", "ipynb", "har", "sarif", "avsc", "topojson"),
    "jsonc": ("jsonc", "code-workspace", "code-snippets", "sublime-settings", "hujson"),
    "json5": ("json5",),
    "toml": ("toml",),
}
FORMATS = tuple(_EXTENSIONS)
_BY_EXTENSION = {ext: form for form, exts in _EXTENSIONS.items() for ext in exts}
_BY_NAME = {
    **dict.fromkeys(("pipfile", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock"), "toml"),
    **dict.fromkeys((".clang-format", ".clang-tidy", ".yamllint", "pubspec.lock"), "yaml"),
    **dict.fromkeys(("composer.lock", "pipfile.lock", "flake.lock"), "json"),
    **dict.fromkeys((".babelrc", ".eslintrc", ".jshintrc", ".swcrc", "devcontainer.json"), "jsonc"),
}
_JSONC_NAME = late_regex(r"(?:ts|js)config(?:\..+)?\.json")
_TOML_LINE = late_regex(rb"^[ \t]*(?:\[[^\]\n]+\]|[\w.\"'-]+[ \t]*=[ \t]*\S)", re.MULTILINE)


def detect(name: str, source: bytes, form: str | None = None) -> str:
    """Return the format of a file: *form* if given, else by name, else by what it parses as."""
    return named_format(name, form) or sniff(source)


def named_format(name: str, form: str | None = None) -> str | None:
    """Return the format that *form* or the file's name gives; None when only its content can."""
    if form:
        if form not in FORMATS:
            raise InvalidArgument(
                f"Unknown format: {form}", field="format", hint=f"one of {', '.join(FORMATS)}"
            )
        return form
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    if base in _BY_NAME:
        return _BY_NAME[base]
    if _JSONC_NAME.fullmatch(base) or "/.vscode/" in name.replace("\\", "/"):
        return "jsonc"
    return _BY_EXTENSION.get(base.rpartition(".")[2]) if "." in base else None


def sniff(source: bytes) -> str:
    """What *source* looks like: the strictest format that parses it."""
    text = source.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[") or text[:2] in (b"//", b"/*"):
        for form in ("json", "jsonc", "json5"):
            if _parses(source, form):
                return form
    if _TOML_LINE.search(source) and _parses(source, "toml"):
        return "toml"
    return "yaml"


def _parses(source: bytes, form: str) -> bool:
    try:
        open_document(source, form)
    except DocumentSyntax:
        return False
    return True


def open_document(source: bytes, form: str, index: int = 0) -> Document:
    """The parsed document; DocumentSyntax, InvalidArgument for a document that is not there."""
    try:
        return _open(source, form, index)
    except RecursionError:
        raise too_deep() from None


def _open(source: bytes, form: str, index: int) -> Document:
    if form == "yaml":
        from redline.documents.yaml.edit.document import YamlDocument

        return YamlDocument(source, index)
    if index:
        raise InvalidArgument(
            naming("{doc_index} is out of range: ", str(index)),
            field="doc_index",
            hint=f"a {form} file holds one document",
        )
    if form == "toml":
        from redline.documents.toml.document import TomlDocument

        return TomlDocument(source)
    if form in ("json", "jsonc", "json5"):
        from redline.documents.json.document import JsonDocument

        return JsonDocument(source, form)
    raise InvalidArgument(f"Unknown format: {form}", field="format")
