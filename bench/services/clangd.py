"""References in C as clangd tells them, and which lines no compiler reads.

Every file of a source is compiled on its own, with all its folders that hold headers, and those
above them, to look in and nothing configured: `#ifdef HAVE_X` is not taken unless a file says so.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_uint
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bench.library.corpora import HOME, tool
from bench.library.language_server import LanguageServer

if TYPE_CHECKING:
    from bench.agreement.references import Answer, Line, Pick, Source

# Of libclang: record what the preprocessor does, an unfinished file is no failure, no bodies.
_RECORD, _INCOMPLETE, _NO_BODIES = 0x01, 0x02, 0x40
_SYSTEM = Path("/usr/include")
_CAPABILITIES = {"window": {"workDoneProgress": True}}


def references(source: Source, picks: list[Pick]) -> list[Answer]:
    """What clangd answers once it has indexed everything, at places that spell the name."""
    from bench.agreement.references import by_server, copy

    argv = [_program(), "--background-index", "--limit-references=0", "-j=2", "--log=error"]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        copy(source, folder)
        _configure(source, folder)
        with LanguageServer(argv, folder, capabilities=_CAPABILITIES) as service:
            first = next((file for file in source.files if file.suffix == ".c"), source.files[0])
            service.open(_shown(source, first), first.read_text("utf-8", "replace"), "c")
            service.wait(_is_indexed)
            return by_server(service, folder, "c", picks, spelled=True)


def unread(source: Source) -> set[Line]:
    """The lines that no compilation reads: other sides of conditions, headers nobody includes."""
    kept = _kept(source, "unread")
    if source.pinned and kept.exists():
        return {(path, line) for path, lines in json.loads(kept.read_text()) for line in lines}
    told = sorted(_unread(source).items())
    if source.pinned:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([(path, sorted(lines)) for path, lines in told]))
    return {(path, line) for path, lines in told for line in lines}


def manner(source: Source) -> bytes:
    """How the source is compiled: other answers belong to other flags."""
    return repr([flags for _, flags in _compilations(source, Path("source"))][:1]).encode()


def _kept(source: Source, what: str) -> Path:
    flags = hashlib.sha256(manner(source)).hexdigest()[:8]
    return HOME.parent / "references" / f"{source.title.replace(' ', '-')} {what} {flags}.json"


Word: TypeAlias = "tuple[Line, str]"


def meanings(source: Source, words: set[Word]) -> dict[Word, set[str]]:
    """What clangd, asked right there, says that words on lines are: symbols of that very name.

    Nothing, where what is around did not parse, a header is missing or a macro drops the word.
    """
    kept = _kept(source, "meanings")
    is_kept = source.pinned and kept.exists()
    known: dict[str, list[str]] = json.loads(kept.read_text()) if is_kept else {}
    fresh = {word for word in words if _key(word) not in known}
    if fresh:
        known.update((_key(word), sorted(found)) for word, found in _asked(source, fresh))
    if fresh and source.pinned:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(known))
    return {word: set(known[_key(word)]) for word in words}


def _key(word: Word) -> str:
    (path, line), name = word
    return f"{path}:{line}:{name}"


def _asked(source: Source, words: set[Word]) -> Iterator[tuple[Word, set[str]]]:
    from bench.agreement.references import copy

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        copy(source, folder)
        _configure(source, folder)
        argv = [_program(), "--background-index=false", "-j=2", "--log=error"]
        with LanguageServer(argv, folder) as service:
            for path in sorted({path for (path, _), _ in words}):
                rows = _lines(folder / path)
                document = {"uri": service.open(path, "\n".join(rows), "c")}
                for word in sorted(word for word in words if word[0][0] == path):
                    yield word, _symbols(service, document, rows[word[0][1] - 1], word)
                service.notify("textDocument/didClose", {"textDocument": document})


def _symbols(service: LanguageServer, document: dict[str, str], row: str, word: Word) -> set[str]:
    (_, line), name = word
    found: set[str] = set()
    for spot in re.finditer(rf"\b{re.escape(name)}\b", row):
        at = {"line": line - 1, "character": spot.start()}
        given = {"textDocument": document, "position": at}
        told = service.request("textDocument/symbolInfo", given) or []
        found |= {symbol["id"] for symbol in told if symbol["name"] == name}
    return found


def _program() -> str:
    return str(tool("clangd").folder() / "clangd" / "data" / "bin" / "clangd")


def _configure(source: Source, folder: Path) -> None:
    rows = [
        {"directory": str(folder), "file": file, "arguments": ["clang", *flags, file]}
        for file, flags in _compilations(source, folder)
    ]
    (folder / "compile_commands.json").write_text(json.dumps(rows))


def _compilations(source: Source, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The files to compile, each with its flags."""
    holding = {f.relative_to(source.root).parent for f in source.files if f.suffix == ".h"}
    above = {up for home in holding for up in home.parents}
    flags = ["-x", "c", "-std=gnu11", "-D_GNU_SOURCE"]
    for home in sorted(holding | above):
        place = str(folder / home)
        # Last for <...>: a header named like one of the system must not stand in for it. But only
        # then: to clang what is found there is the system's, and its macros are other symbols.
        is_first = not _rivals(source, home)
        flags += ["-I", place] if is_first else ["-iquote", place, "-idirafter", place]
    for file in source.files:
        if file.suffix == ".c":
            yield str(folder / file.relative_to(source.root)), flags


def _rivals(source: Source, home: Path) -> bool:
    """Whether a folder has a header that the system has under the same name."""
    headers = (f.relative_to(source.root) for f in source.files if f.suffix == ".h")
    names = (header.relative_to(home) for header in headers if header.is_relative_to(home))
    return any((_SYSTEM / name).exists() for name in names)


def _is_indexed(told: dict[str, Any]) -> bool:
    params = told["params"] if told.get("method") == "$/progress" else {}
    is_index = params.get("token") == "backgroundIndexProgress"
    return is_index and bool(params["value"].get("kind") == "end")


def _shown(source: Source, file: Path) -> str:
    return str(file.relative_to(source.root))


def _lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8", "replace").split("\n")


class _Ranges(Structure):
    """libclang's list of ranges."""


def _unread(source: Source) -> dict[str, set[int]]:
    home = tool("libclang").folder() / "libclang-18.1.1.data" / "platlib"
    sys.path.insert(0, str(home))
    from clang import cindex  # type: ignore[import-not-found]

    sys.path.pop(0)
    if not hasattr(_Ranges, "_fields_"):  # once for all sources
        _Ranges._fields_ = [("count", c_uint), ("ranges", POINTER(cindex.SourceRange))]
    library = cindex.conf.lib
    library.clang_getAllSkippedRanges.restype = POINTER(_Ranges)
    headers = tool("clangd").folder() / "clangd" / "data" / "lib" / "clang" / "18"
    left: dict[str, set[int]] = {}
    root = source.root.resolve()
    for file, flags in _compilations(source, root):
        options = _RECORD | _INCOMPLETE | _NO_BODIES
        given = [*flags, "-ferror-limit=0", "-resource-dir", str(headers)]
        unit = cindex.Index.create().parse(file, given, options=options)
        skipped: dict[str, set[int]] = {}
        found = library.clang_getAllSkippedRanges(unit).contents
        for nth in range(found.count):
            start, end = found.ranges[nth].start, found.ranges[nth].end
            skipped.setdefault(_plain(start.file.name), set()).update(
                range(start.line + 1, end.line)
            )
        included = {_plain(one.include.name) for one in unit.get_includes()}
        for path in included | {_plain(file)}:
            if Path(path).is_relative_to(root):
                now, shown = skipped.get(path, set()), str(Path(path).relative_to(root))
                left[shown] = left[shown] & now if shown in left else now
    for one in source.files:
        every = range(1, len(_lines(one)) + 1)
        left.setdefault(_shown(source, one), set(every))
    return left


def _plain(path: str) -> str:
    return str(Path(path).resolve())
