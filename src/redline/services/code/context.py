"""Answer questions about code: definitions, references, outlines, structure, search."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from redline.code.syntax.definitions import Symbol
from redline.code.syntax.languages import language_of
from redline.core.errors import InvalidArgument, TooLarge
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, replace
from redline.services.code.fitting import Fitted, Snippet, fit
from redline.services.code.lookup import CodeLookup, OpenedSource
from redline.services.code.reference_snippets import (
    AROUND,
    FoundReferences,
    around,
    find_references,
)
from redline.services.similar import find_similar_symbols

DEFAULT_TOKENS = 4000
_MAX_TEXT_HITS = 30
_MAX_TRIED = 3
_SYMBOL = re.compile(r"[A-Za-z_$@#][\w$]*(?:(?:\.|::|#|->|/)[\w$]+)*[?!]?(?:\(\))?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this from how where what which who does are was code file files"
        " function class method into out not all any has have use used uses using when why can get",
    )
)
_KEYWORDS = frozenset(
    """
    def class async func fn pub function interface struct enum type trait impl export
    """.split()
)
_MAX_MAP_FILES = 300
_ENOUGH = 5
# Lines and members of a class that is shown by its members.
_LARGE = 60
_MEMBERS = 3
_HEAD_LINES = 6
_MAX_FAILED = 5


@dataclass(frozen=True, slots=True)
class ContextQuestion:
    """What to find out about code; `file` may be a directory, `raw_file` is its name as given."""

    kind: str
    file: WorkspacePath | None
    wanted: str
    max_tokens: int
    line: int | None = None
    raw_file: str = ""
    # A large class is its members, and a reference its line.
    is_brief: bool = False
    # A language server decides possible references; `waiting` takes what that waits for.
    is_precise: bool = False
    waiting: Callable[[str], None] = lambda _: None


def resolve_kind(kind: str, wanted: str, is_symbol: bool, is_file: bool) -> str:
    """Return the kind of question that is asked; InvalidArgument if it lacks something."""
    if kind in ("definition", "references") and not wanted:
        raise InvalidArgument(f"kind {kind} needs symbol", field="symbol")
    if kind == "outline" and not is_file:
        raise InvalidArgument(
            "kind outline needs a file",
            field="file",
            hint='for a directory pass {"kind": "structure"}',
        )
    if kind != "auto":
        return kind
    if is_symbol or (wanted and _SYMBOL.fullmatch(wanted)):
        return "definition"
    if wanted:
        return "search"
    return "outline" if is_file else "structure"


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A sentence, the snippets that fit the question's budget, and what to know about them."""

    message: str
    fitted: Fitted
    # Files that the answer does not know, and files that are not UTF-8: a sentence for each.
    left_out: list[str]
    in_other_encodings: list[str]


def answer_question(
    lookup: CodeLookup, question: ContextQuestion, connection: str
) -> ContextAnswer:
    """Return the answer, and note for *connection* which files it shows."""
    message, snippets = find_snippets(lookup, question)
    fitted = fit(snippets, question.max_tokens)
    names = [snippet.path for snippet in fitted.snippets]
    lookup.note_shown(connection, names)
    encodings = lookup.other_encodings(names).items()
    others = [f"{name} is in {encoding}." for name, encoding in encodings]
    return ContextAnswer(message, fitted, _describe_left_out(lookup), others)


def find_snippets(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    """Return the answer in a sentence, and ranked snippets."""
    answer = {
        "outline": _outline,
        "definition": _definition,
        "references": _references,
        "structure": _structure,
        "search": _search,
    }[question.kind]
    return answer(lookup, question)


def _describe_left_out(lookup: CodeLookup) -> list[str]:
    """Say what the answer does not know: files whose parser failed."""
    left_out = lookup.left_out()
    if not left_out:
        return []
    named = [f"{lookup.name_of(path)} ({why})" for path, why in left_out.items()]
    more = f" and {len(named) - _MAX_FAILED} more" if len(named) > _MAX_FAILED else ""
    plural = "" if len(named) == 1 else "s"
    shown = ", ".join(named[:_MAX_FAILED])
    return [f"Left out, as the parser failed on the file{plural}: {shown}{more}."]


def _snippet(lookup: CodeLookup, file: OpenedSource, symbol: Symbol) -> Snippet:
    return Snippet(
        path=lookup.name_of(file.path),
        start=symbol.start,
        end=symbol.end,
        text=file.lines(symbol.start, symbol.end),
        language=file.language.name if file.language else "",
        symbol=symbol.qualified,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        file_hash=file.digest,
    )


def _within(question: ContextQuestion, path: WorkspacePath) -> bool:
    return question.file is None or path.is_beneath(question.file)


def _definition(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    found = [
        (file, symbol)
        for file, symbol in lookup.definitions(question.wanted)
        if _within(question, file.path)
    ]
    if not found:
        return _search(lookup, question)
    plural = "" if len(found) == 1 else "s"
    message = f"{len(found)} definition{plural} of {question.wanted}."
    if question.is_brief:
        return message, [_brief_snippet(lookup, file, symbol) for file, symbol in found]
    return message, [_snippet(lookup, file, symbol) for file, symbol in found]


def _brief_snippet(lookup: CodeLookup, file: OpenedSource, symbol: Symbol) -> Snippet:
    """Return a definition, of a large one with members only its head and these with their lines."""
    shown = _snippet(lookup, file, symbol)
    if symbol.end - symbol.start < _LARGE:
        return shown
    inside = f"{symbol.qualified}."
    members = [
        each
        for each in file.symbols()
        if each.qualified.startswith(inside) and symbol.start <= each.start <= symbol.end
        if "." not in each.qualified.removeprefix(inside) and each.kind != "alias"
    ]
    if len(members) < _MEMBERS:
        return shown
    last = max(symbol.line, min(members[0].start - 1, symbol.line + _HEAD_LINES))
    lines = [file.lines(symbol.start, last), *map(_outline_line, members)]
    lines.append(f"(its {len(members)} members; read {symbol.qualified} shows all of it)")
    return replace(shown, text="\n".join(lines))


def _references(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    found = find_references(
        lookup,
        question.wanted,
        question.file,
        question.line,
        question.max_tokens,
        one_line=question.is_brief,
        precise=question.is_precise,
        waiting=question.waiting,
    )
    return _references_message(found), found.snippets


def _references_message(references: FoundReferences) -> str:
    finder, found = references.finder, references.found
    count = sum(used.count for used in found)
    bound = sum(reference.certainty == "bound" for used in found for reference in used.seen)
    plural = "" if count == 1 else "s"
    least = "At least " if finder.lookup.has_more_files else ""
    message = f"{least}{count} line{plural} with references to {finder.name}: {bound} bound, "
    message += f"{count - bound} possible."
    if finder.unread:
        message += f" {finder.unread} files were not read; narrow it to a file or directory."
    if finder.by_name:
        message += " They were matched by name only: telling definitions apart failed."
    if references.missing:
        message += f" No language server decided the possible ones: {references.missing}."
    return message


def _outline(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    path = question.file
    file = lookup.open(path) if path is not None else None
    if path is None or file is None:
        raise TooLarge(question.raw_file, "The file is not text to outline")
    symbols = [symbol for symbol in file.symbols() if symbol.kind != "alias"]
    shown = lookup.name_of(path)
    if not symbols:
        head = Snippet(shown, 1, min(40, file.count), file.lines(1, 40))
        known = "no symbols" if file.language else "no grammar is known for it"
        return f"{shown}: {known}; its first lines follow.", [head]
    text = "\n".join(_outline_line(symbol) for symbol in symbols)
    language = file.language.name if file.language else ""
    count = file.count
    snippet = Snippet(shown, 1, count, text, language, file_hash=file.digest)
    return f"{shown}: {len(symbols)} symbols in {count} lines of {language}.", [snippet]


def _outline_line(symbol: Symbol) -> str:
    depth = symbol.qualified.count(".") - symbol.name.count(".")
    doc = f"  - {symbol.doc}" if symbol.doc else ""
    words = symbol.signature or symbol.name
    # The signature of most languages says by itself what kind of symbol it is.
    kind = "" if words.partition(" ")[0] in _KEYWORDS else f"{symbol.kind} "
    return f"{symbol.start}-{symbol.end} {'  ' * depth}{kind}{words}{doc}"


def _structure(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    if lookup.refresh() != "ready":
        return _plain_structure(lookup, question)
    most = max(20, min(_MAX_MAP_FILES, question.max_tokens // 15))
    files, total = lookup.runtime.code_index.structure(question.file, most)
    snippets = []
    for file, symbols in files:
        text = "\n".join(
            f"{s.start} {s.kind} {s.qualified}{_call_shape(s.signature, s.name)}" for s in symbols
        )
        shown = lookup.name_of(file.path)
        snippets.append(Snippet(shown, 1, file.lines, text, file.language, file_hash=file.digest))
    where = f" beneath {question.file.relative}" if question.file else ""
    message = f"{total} code files{where}; the most used first, with their best symbols."
    return message, snippets


def _call_shape(signature: str, name: str) -> str:
    """Return the parameters of a callable, short: what follows its name."""
    rest = signature.partition(name)[2].strip()
    return rest[:80] if rest.startswith("(") else ""


def _plain_structure(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    """While the index is built: files as ripgrep walks them, the uppermost ones outlined."""
    top = question.file or WorkspacePath(0, ())
    paths = [
        path
        for path in lookup.runtime.grep.files(top, (), hidden=False, ignored=False)
        if language_of(path.name) is not None
    ]
    paths.sort(key=lambda path: (len(path.parts), path.parts))
    snippets = []
    for path in paths[:20]:
        file = lookup.open(path)
        if file is None:
            continue
        upper = [s for s in file.symbols() if "." not in s.qualified][:8]
        text = "\n".join(f"{s.start} {s.kind} {s.qualified}" for s in upper)
        count = file.count
        language = file.language.name if file.language else ""
        snippets.append(
            Snippet(lookup.name_of(path), 1, count, text, language, file_hash=file.digest)
        )
    return f"{len(paths)} code files, the uppermost first.", snippets


def _search(lookup: CodeLookup, question: ContextQuestion) -> tuple[str, list[Snippet]]:
    words = [w for w in _WORD.findall(question.wanted) if w.lower() not in _STOP]
    snippets: list[Snippet] = []
    if words and lookup.refresh() == "ready":
        rows = lookup.runtime.code_index.matching(words, 40)
        snippets = [
            _snippet(lookup, file, symbol)
            for file, symbol in lookup.current(rows)
            if _within(question, file.path)
        ]
    if len(snippets) >= _ENOUGH:
        # A text search of a large workspace takes longer than everything else together.
        return f"{len(snippets)} places for: {question.wanted}", snippets
    snippets += _text_hits(lookup, question, words, snippets)
    if not snippets:
        similar = find_similar_symbols(lookup.runtime, question.wanted, question.file)
        near = f"; similar: {', '.join(similar)}" if similar else ""
        return f"Nothing found for: {question.wanted}{near}", []
    return f"{len(snippets)} places for: {question.wanted}", snippets


def _text_hits(
    lookup: CodeLookup, question: ContextQuestion, words: list[str], shown: list[Snippet]
) -> list[Snippet]:
    """Lines that hold the phrase, else its rarest word, and are not *shown*; near ones as one.

    The longest word is taken for the rarest. While the index grows, the next longest are tried too.
    """
    longest_first = sorted(dict.fromkeys(words), key=len, reverse=True)
    hits: list[tuple[WorkspacePath, int]] = []
    most = _MAX_TRIED if lookup.state == "building" else 1
    for text in dict.fromkeys((question.wanted, *longest_first[:most])):
        if hits := lookup.grep(f"(?i){re.escape(text)}", 60):
            break
    groups: list[tuple[WorkspacePath, list[int]]] = []
    for path, line in hits:
        name = lookup.name_of(path)
        if any(s.path == name and s.start <= line <= s.end for s in shown):
            continue
        if groups and groups[-1][0] == path and 0 <= line - groups[-1][1][-1] <= 2 * AROUND:
            groups[-1][1].append(line)
        elif _within(question, path):
            groups.append((path, [line]))
    files = ((lookup.open(path), lines) for path, lines in groups)
    found = (around(lookup, file, lines) for file, lines in files if file is not None)
    return list(islice(found, _MAX_TEXT_HITS))
