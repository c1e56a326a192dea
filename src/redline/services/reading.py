"""Read text files for people and models: whole, by lines, or one symbol."""

from __future__ import annotations

from redline.code.syntax.definitions import Symbol, find_symbols, join_overloads
from redline.code.syntax.languages import language_of
from redline.core import errors
from redline.core.encodings.opening import open_file
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Kind
from redline.core.records import dataclass
from redline.core.text_limits import MAX_SHOWN
from redline.core.textfile import TextFile
from redline.services.names import display_name
from redline.services.runtime import Runtime
from redline.services.similar import choose_similar, similar_hint
from redline.services.text_lines import cut_head, line_starts, parse_range
from redline.services.versions import version_of

MAX_FILE = 256 << 20
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines `first` to `last` of a file that has `total`; `next_line` goes on where it was cut.

    Of a line that is longer than all that may be shown, `cuts_line` says that the rest is missing.
    """

    path: WorkspacePath
    text: str
    first: int
    last: int
    total: int
    encoding: str
    version: str
    next_line: int | None = None
    symbol: str = ""
    cuts_line: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether this is all of the file."""
        return self.first <= 1 and self.last == self.total and self.next_line is None


def load_text(
    runtime: Runtime, path: WorkspacePath, encoding: str | None = None
) -> tuple[TextFile, bytes]:
    """Return a text file and its bytes; what is not text in a known encoding is refused."""
    where = display_name(runtime.workspace, path)
    entry = runtime.tree.stat(path)
    if entry is None:
        raise errors.NotFound(where)
    if entry.kind is Kind.DIRECTORY:
        raise errors.IsADirectory(where)
    if entry.size > MAX_FILE:
        raise errors.TooLarge(where, f"Too large to read ({entry.size} bytes): {where}")
    content = runtime.tree.read(path, MAX_FILE)
    file = open_file(runtime.tree, path, content, encoding, where)
    if file.is_binary:
        raise errors.BinaryFile(where)
    if not file.is_foreign and not file.is_utf8:
        raise errors.UnsupportedEncoding(
            where,
            f"Not valid UTF-8, and no other encoding is certain: {where}",
            hint="pass encoding, such as cp1252 or gbk",
        )
    return file, content


def read_part(
    runtime: Runtime,
    path: WorkspacePath,
    *,
    lines: str = "",
    symbol: str = "",
    encoding: str | None = None,
    room: int = MAX_SHOWN,
) -> tuple[TextPart, bytes]:
    """Return the wanted part of a text file, cut at whole lines to *room* bytes, and all bytes.

    *lines* is `10-40`, `10-`, `10`, or `-20` for the last twenty.
    """
    file, content = load_text(runtime, path, encoding)
    data = file.view
    starts = line_starts(data)
    total = len(starts) - 1
    first, last = (1, total) if not lines else parse_range(lines, total)
    if symbol:
        found = _symbol(runtime, path, file, symbol)
        first, last = found.start, found.end
    begin, end = starts[min(first - 1, total)], starts[last] if last >= first else 0
    cut = cut_head(data[begin : max(begin, end)], room)
    next_line = None
    if cut.by is not None:
        last = first + cut.content.count(b"\n")
        next_line = last + 1
    text = cut.content.decode("utf-8", "replace")
    version = version_of(content)
    part = TextPart(
        path,
        text,
        first,
        last,
        total,
        file.encoding,
        version,
        next_line,
        symbol,
        cuts_line=cut.in_first_line,
    )
    return part, content


def _symbol(runtime: Runtime, path: WorkspacePath, file: TextFile, wanted: str) -> Symbol:
    """Return the one definition that *wanted* names."""
    where = display_name(runtime.workspace, path)
    language = language_of(path.name)
    if language is None:
        raise errors.InvalidArgument(
            f"No grammar is known for it, so it has no symbols: {where}",
            field="symbol",
            hint="give lines",
        )
    symbols = runtime.analysis.symbols(file.text, language, wanted)
    found = join_overloads(find_symbols(symbols, wanted), file.text.split("\n"))
    if not found:
        all_of_file = runtime.analysis.symbols(file.text, language)
        similar = choose_similar(wanted, (each.qualified for each in all_of_file))
        raise errors.NodeNotFound(
            f"No such symbol in {where}: {wanted}",
            hint=similar_hint(similar)
            or "context with the file and kind outline lists its symbols",
        )
    spans = {(each.start, each.end) for each in found}
    if len(spans) > 1:
        named = ", ".join(f"{each.qualified} (line {each.line})" for each in found[:_MAX_NAMED])
        raise errors.InvalidArgument(
            f"Several symbols are called {wanted}: {named}",
            field="symbol",
            hint="give the qualified name, or lines",
        )
    return found[0]
