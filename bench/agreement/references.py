"""References against the language servers of seven languages, within and across files.

Fixed before measuring:

- Definitions are picked at random (seeded) among all that Redline lists in the files of a source:
  functions, classes, methods, fields, values of modules, nested ones too. Not picked: a name of
  one letter, a special method of Python, and what stands on a line that defines the same name
  twice.
- The reference is pyright's `textDocument/references` for Python and `findReferences` of the
  TypeScript service for JavaScript and TypeScript, asked at the name of the definition, with all
  files of the source in the workspace and no libraries. Pyright is told that imports start at the
  folder of the project, which an archive puts below the workspace, and at its `src`.
- The TypeScript service stops at the seams of CommonJS: of `module.exports = { name }`,
  `exports.name = name`, `const { name } = require(...)` and `name = require(...).name` it answers
  the place, not what lies behind. It is asked again at every such place of its answer, until
  nothing new comes. And it is asked from the other end: asked for the definition at `trim` of
  `const { trim } = require("./text")` it names the function in text.js, whose references it does
  not let in when asked there. So every place of a JavaScript file that spells the name and whose
  definition, by the service, is the one asked for counts as its reference, for recall as well as
  for precision. The precision by its first answer alone is told beside (`asked once`).
- A reference is a pair of file and line. The definition's own line is left out on both sides, and
  so is every place in a string or comment. A definition for which the service answers nothing at
  all, not even itself, is not compared.
- Redline is asked with the file and line of the definition, through the index, as the tool asks.
  What it says to be `bound` and `possible` is taken at its word.
- Recall: the share of the service's references that Redline lists, bound or possible.
  Precision: the share of those Redline calls bound that the service has.
  Told too: `bound`, the share of the service's references that Redline calls bound, and `of
  possible`, the share of those Redline calls possible that the service has.
- Each definition weighs by its references; nothing is left out for being hard.
- Looked at while this was built: this repository, scrapy, celery, aiohttp, rich, werkzeug, click,
  flask, attrs; express, fastify, eslint, mocha, undici, knex, webpack, jsdom, three; rxjs, mobx,
  ethers, zod, effect. Counted once at the end, unseen: httpx, paramiko; mongoose, nodemailer, svgo,
  stylelint; msw, tanstack-table-core. Where a stub lies beside its source, as in attrs and
  werkzeug, pyright binds everything to the stub and Redline to the source.
  Go looked at: cobra, tcell, gin, lego, caddy, etcd. Unseen: golang-x-net, roaring, echo.
- Rust: the reference is rust-analyzer with the standard library and all features on (how it is told
  of the crates stands in services/rust_analyzer.py). What it answers counts as it is: of a type
  also where `Self` stands for it; of a method of a trait also its implementations and their calls,
  of an implementation only the calls that are known to reach that one. Looked at: jiter, toml-edit,
  tokenizers, pydantic_core; libcst and image, which were unseen until they showed two faults.
  Unseen: cryptography, maturin, nom.
- C: the reference is clangd with everything indexed and nothing configured (the flags stand in
  services/clangd.py). A line that no compilation reads (the other side of a condition, a header
  nobody includes) is left out on both sides, and so is a place of its answer that does not spell
  the name but expands a macro that does. clangd knows things by their linkage: functions and
  variables seen from outside that share a name are one, and so are structs that share a tag, even
  in files that never meet. Counted as it answers. Its index has holes where code does not
  compile; so where Redline binds a word that is not in the list, clangd is asked at that place: if
  it names the same thing, that counts as in the list; if it knows no such name there (nothing
  parsed, a header is missing, a macro drops the word), the place is left out when it is in a `.c`
  file; else Redline is wrong (this was added when lua, redis and libgit2 had been looked at,
  before any unseen source was). Looked at: lua, tmux, redis, libgit2. Unseen: htop, libevent,
  nginx, curl; the folders of headers were taken for the system's when the first three were counted
  first, which kept clangd's index from knowing macros.
- Java: the reference is the compiler (JDK 17) with all files of the source and no libraries but its
  own (services/References.java). A place refers to the one method, field, constructor or type that
  the compiler attributes to it, overloads apart. Of a method, the calls and declarations of all it
  overrides and of all that override it count too, those of other classes that merely override the
  same do not; methods of the JDK never. `new T()` refers to the type and to the constructor, and
  so does a class body behind it; an enum constant, `this(...)` and `super(...)` to the
  constructor. `import static` refers to every static member of that name. A source that holds two
  editions of a package is compiled once for each. Looked at: jsoup, jackson-databind,
  commons-lang3. Unseen: joda-time, httpcomponents-client, commons-collections4, junit5.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from bench.library.corpora import HOME, archives, own_files, tool
from bench.library.language_server import LanguageServer
from bench.library.peers import REPO
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.languages import language_group, language_of
from redline.core.call_scope import UNCANCELLABLE
from redline.core.paths import WorkspacePath
from redline.services.code.lookup import CodeLookup
from redline.services.code.reference_query import Chosen
from redline.services.code.references import READ_PER_TOKEN, Finder
from redline.settings import Settings
from redline.wiring.workspace import Redline

SEED = 20_261
PER_SOURCE = 200
# What the largest answer may read.
ROOM = READ_PER_TOKEN * 50_000
# Services that a module of its own asks: its function is `references`.
SERVICES: dict[str, str] = {
    "go": "bench.services.gopls",
    "rust": "bench.services.rust_analyzer",
    "java": "bench.services.javac",
    "c": "bench.services.clangd",
}
LANGUAGES = ("python", "javascript", "typescript", *SERVICES)
# Sources that nobody looked at before they were counted.
UNSEEN = (
    *("httpx", "paramiko", "mongoose", "nodemailer", "svgo", "stylelint", "msw"),
    *("tanstack-table-core", "golang-x-net", "roaringbitmap-roaring", "labstack-echo"),
    *("cryptography", "maturin", "nom", "htop", "libevent", "nginx", "curl"),
    *("joda-time-java", "httpcomponents-client", "commons-collections4-java", "junit5"),
)
# Files that say what a folder is called, by language.
MANIFESTS = {"go": ("go.mod",), "rust": ("Cargo.toml",)}
# Nodes that are text, by language.
TEXTS = {
    "python": ["comment", "string_content"],
    "go": ["comment", "interpreted_string_literal", "raw_string_literal"],
    "rust": ["line_comment", "block_comment", "string_literal", "raw_string_literal"],
    "java": ["line_comment", "block_comment", "string_literal"],
    "c": ["comment", "string_literal", "system_lib_string"],
    "javascript": ["comment", "string_fragment", "string", "html_comment"],
}
Line: TypeAlias = tuple[str, int]
_SCRIPT = Path(__file__).with_name("references.mjs")


@dataclass(frozen=True, slots=True)
class Pick:
    """A definition to ask for; `path` is relative to the source's folder."""

    path: str
    name: str
    qualified: str
    kind: str
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class Source:
    """Some files of one language beneath one folder."""

    title: str
    language: str
    root: Path
    files: list[Path]
    pinned: bool

    def picks(self, most: int, seed: int) -> list[Pick]:
        """The definitions to ask for."""
        found = [pick for file in self.files for pick in _defined(file, self.root)]
        rng = random.Random(f"{seed} {self.title}")
        return rng.sample(found, min(most, len(found)))


def _defined(file: Path, root: Path) -> Iterator[Pick]:
    language = language_of(file.name)
    assert language is not None
    text = file.read_bytes().decode("utf-8", "replace")
    if "\r" in text or not text.isascii():
        return  # offsets of the services count in other units
    symbols = symbols_of(parse(text, language))
    seen = Counter((symbol.name, symbol.line) for symbol in symbols)
    shown = str(file.relative_to(root))
    for s in symbols:
        special = s.name.startswith("__") and s.name.endswith("__")
        spelled = text[s.offset : s.offset + len(s.name)] == s.name
        if len(s.name) > 1 and spelled and not special and seen[s.name, s.line] == 1:
            yield Pick(shown, s.name, s.qualified, s.kind, s.line, s.offset)


def sources(language: str, sets: tuple[str, ...]) -> Iterator[Source]:
    """This repository and the archives of these sets, or those named; all that are unseen."""
    if "unseen" in sets:
        sets = (*sets, *UNSEEN)
    if not sets or "own" in sets:
        own = own_files(language)
        if own:
            yield Source("this repository", language, REPO, own, pinned=False)
    for archive in archives():
        chosen = not sets or archive.set in sets or archive.name in sets
        if archive.language == language and chosen:
            files = _compared(language, archive.folder(), archive.files())
            yield Source(archive.title, language, archive.folder(), files, pinned=True)


def _compared(language: str, root: Path, files: list[Path]) -> list[Path]:
    """The files that the service of a language can read: of Go, those that are built."""
    if language != "go":
        return files
    found: list[Path] = import_module(SERVICES[language]).built(root, files)
    return found


Answer: TypeAlias = tuple[set[Line], set[Line]]
Row: TypeAlias = tuple[Pick, Answer, Answer]


def expected(source: Source, picks: list[Pick], seed: int) -> list[Answer]:
    """What the service answers for each pick, at once and in all; kept for what never changes."""
    asked = hashlib.sha256(repr(picks).encode() + _manner(source)).hexdigest()[:16]
    key = f"{source.title} {seed} {asked}".replace(" ", "-").replace("/", "-")
    kept = HOME.parent / "references" / f"{key}.json"
    if source.pinned and kept.exists():
        found = json.loads(kept.read_text())
        return [({(p, n) for p, n in once}, {(p, n) for p, n in every}) for once, every in found]
    answered = _service(source.language)(source, picks)
    if source.pinned:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([(sorted(once), sorted(every)) for once, every in answered]))
    return answered


def _manner(source: Source) -> bytes:
    """What the answers depend on besides the question."""
    if source.language == "python":
        return _SCRIPT.read_bytes() + _imports(source)
    if source.language == "c":
        manner: bytes = import_module(SERVICES["c"]).manner(source)
        return manner
    return _SCRIPT.read_bytes()


def _service(language: str) -> Callable[[Source, list[Pick]], list[Answer]]:
    if language in SERVICES:
        asked: Callable[[Source, list[Pick]], list[Answer]]
        asked = import_module(SERVICES[language]).references
        return asked
    return _by_pyright if language == "python" else _by_typescript


def _by_pyright(source: Source, picks: list[Pick]) -> list[Answer]:
    server = tool("pyright").folder() / "package" / "langserver.index.js"
    with tempfile.TemporaryDirectory() as folder:
        copy(source, Path(folder))
        (Path(folder) / "pyrightconfig.json").write_bytes(_imports(source))
        with LanguageServer(["node", str(server), "--stdio"], Path(folder)) as service:
            return by_server(service, Path(folder), "python", picks)


def _imports(source: Source) -> bytes:
    """Where imports start, as pyright is told: the project's own folder, and its `src`."""
    tops = sorted({file.relative_to(source.root).parts[0] for file in source.files})
    return json.dumps({"extraPaths": [*tops, *(f"{top}/src" for top in tops)]}).encode()


def by_server(
    service: LanguageServer,
    folder: Path,
    language: str,
    picks: list[Pick],
    *,
    spelled: bool = False,
) -> list[Answer]:
    """What a language server answers in *folder*, where the files of the source were copied.

    With *spelled* only places that spell the name.
    """
    answers: list[Answer] = []
    for pick in picks:
        path = folder / pick.path
        text = path.read_text("utf-8")
        line = text.count("\n", 0, pick.offset)
        column = pick.offset - (text.rfind("\n", 0, pick.offset) + 1)
        uri = service.open(pick.path, text, language)
        spots = service.references(uri, line, column)
        lines = {
            (str(found.relative_to(folder)), row + 1)
            for found, row, at in spots
            if found.is_relative_to(folder)
            and not _is_text_at(found, row, at)
            and not (spelled and not spells(found, row, at, pick.name))
        }
        answers.append((lines, lines))
    return answers


def _by_typescript(source: Source, picks: list[Pick]) -> list[Answer]:
    package = tool("typescript").folder() / "package"
    asked = [json.dumps({"files": [str(file) for file in source.files]})]
    asked += [json.dumps({"path": str(source.root / p.path), "start": p.offset}) for p in picks]
    done = subprocess.run(
        ["node", str(_SCRIPT), str(package)],
        input="\n".join(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found = (json.loads(row) for row in done.stdout.splitlines())
    return [(_lines(source, row["spots"]), _lines(source, row["more"])) for row in found]


def _lines(source: Source, spots: list[tuple[str, int]]) -> set[Line]:
    return {
        (str(path.relative_to(source.root)), _text(path).count("\n", 0, start) + 1)
        for path, start in ((Path(spelled), start) for spelled, start in spots)
        if not _is_text(path, start)
    }


def copy(source: Source, folder: Path) -> None:
    """The files of the source and what names its modules, as they lie."""
    named = [
        path for name in MANIFESTS.get(source.language, ()) for path in source.root.rglob(name)
    ]
    for file in [*source.files, *named]:
        target = folder / file.relative_to(source.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


_texts: dict[Path, tuple[str, list[tuple[int, int]]]] = {}


def _read(path: Path) -> tuple[str, list[tuple[int, int]]]:
    if path not in _texts:
        if len(_texts) > 200:
            _texts.clear()
        text = path.read_bytes().decode("utf-8", "replace")
        language = language_of(path.name)
        assert language is not None
        known = TEXTS[language_group(language.name)]
        found = parse(text, language).root.find_all(any=[{"kind": kind} for kind in known])
        _texts[path] = text, [(n.range().start.index, n.range().end.index) for n in found]
    return _texts[path]


def _text(path: Path) -> str:
    return _read(path)[0]


def _is_text(path: Path, start: int) -> bool:
    """Whether a place lies in a comment or a string."""
    return any(first <= start < last for first, last in _read(path)[1])


def spells(path: Path, line: int, column: int, name: str) -> bool:
    """Whether a place spells the name."""
    return _text(path).split("\n")[line].startswith(name, column)


def _is_text_at(path: Path, line: int, column: int) -> bool:
    text = _text(path)
    start = 0
    for _ in range(line):
        start = text.index("\n", start) + 1
    return _is_text(path, start + column)


def answers(source: Source, picks: list[Pick]) -> Iterator[tuple[set[Line], set[Line]]]:
    """What Redline answers for each pick: lines that are bound, lines that are possible."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "work"
        root.mkdir()
        copy(source, root)
        state = str(Path(folder) / "state")
        with Redline(Settings(workspace=str(root), state_dir=state, read_only=True)) as redline:
            redline.code_index.build()
            for pick in picks:
                path = WorkspacePath(0, tuple(pick.path.split("/")))
                lookup = CodeLookup(redline, UNCANCELLABLE)
                finder = Finder(lookup, pick.name, [Chosen(path, pick.line)], ROOM)
                lines: dict[str, set[Line]] = {"bound": set(), "possible": set()}
                for used in finder.find():
                    for found in used.references:
                        lines[found.certainty].add((used.path.relative, found.line))
                yield lines["bound"], lines["possible"]


def compare(
    sets: tuple[str, ...], languages: tuple[str, ...], most: int, show: int, seed: int = SEED
) -> dict[str, Any]:
    """Print the table; per language recall, precision and what they are of."""
    report: dict[str, Any] = {}
    print("| source | language | definitions | references | recall % | precision % | bound % |")
    print("|" + "---|" * 7)
    for language in languages:
        total: Counter[str] = Counter()
        shown = []
        for source in sources(language, sets):
            counts = _compare(source, most, show, seed)
            total.update(counts)
            shown.append(source.title)
            print(_row(source.title, language, counts), flush=True)
        print(_row("all", language, total))
        report[language] = {**_shares(total), "of": ", ".join(shown)}
    return report


def _compare(source: Source, most: int, show: int, seed: int) -> Counter[str]:
    picks = source.picks(most, seed)
    total: Counter[str] = Counter()
    pairs = zip(picks, expected(source, picks, seed), answers(source, picks), strict=True)
    rows = list(_heeded(source, [row for row in pairs if row[1][0]]))
    for pick, (once, theirs), (bound, possible) in rows:
        total.update(
            definitions=1,
            theirs=len(theirs),
            found=len(theirs & (bound | possible)),
            bound=len(bound),
            right=len(bound & theirs),
            right_once=len(bound & once),
            possible=len(possible),
            likely=len(possible & theirs),
        )
        away = {line for line in theirs if line[0] != pick.path}
        total.update(away=len(away), away_found=len(away & (bound | possible)))
        missed, wrong = sorted(theirs - bound - possible), sorted(bound - theirs)
        if (missed or wrong) and show > 0:
            show -= 1
            where = f"{pick.path}:{pick.line} {pick.kind} {pick.qualified}"
            print(f"    {where}: missed {missed[:4]} ({len(missed)}) wrong {wrong[:4]}")
    return total


def _heeded(source: Source, rows: list[Row]) -> Iterator[Row]:
    """The answers without what is left out on both sides; where C is in dispute, asked there."""
    unread = _unread(source)
    meant = _meant(source, rows, unread)
    for pick, (once, theirs), (bound, possible) in rows:
        own = (pick.path, pick.line)
        mine = meant.get((own, pick.name), set())
        said = {line: ids for (line, name), ids in meant.items() if name == pick.name}
        disputed = {line: said[line] for line in bound - theirs if line in said}
        theirs = theirs | {line for line, ids in disputed.items() if ids & mine}
        mute = {line for line, ids in disputed.items() if not ids and line[0].endswith(".c")}
        out = {own} | unread | mute
        yield pick, (once - out, theirs - out), (bound - out, possible - bound - out)


def _unread(source: Source) -> set[Line]:
    """Lines that the service of a language does not look at: of C, those it never compiles."""
    if source.language != "c":
        return set()
    found: set[Line] = import_module(SERVICES["c"]).unread(source)
    return found


def _meant(source: Source, rows: list[Row], unread: set[Line]) -> dict[tuple[Line, str], set[str]]:
    """What the service says of places in files of C that Redline binds and its list lacks."""
    if source.language != "c":
        return {}
    asked: set[tuple[Line, str]] = set()
    for pick, (_, theirs), (bound, _) in rows:
        own = (pick.path, pick.line)
        lines = bound - theirs - unread - {own}
        asked |= {(line, pick.name) for line in lines | ({own} if lines else set())}
    found: dict[tuple[Line, str], set[str]] = import_module(SERVICES["c"]).meanings(source, asked)
    return found


def _shares(counts: Counter[str]) -> dict[str, Any]:
    def share(part: str, whole: str) -> float:
        return round(100 * counts[part] / counts[whole], 2) if counts[whole] else 100.0

    return {
        "recall": share("found", "theirs"),
        "precision": share("right", "bound"),
        "asked once": share("right_once", "bound"),
        "bound": share("right", "theirs"),
        "of possible": share("likely", "possible"),
        "definitions": counts["definitions"],
        "references": counts["theirs"],
        "in other files": counts["away"],
        "recall in other files": share("away_found", "away"),
    }


def _row(source: str, language: str, counts: Counter[str]) -> str:
    shares = _shares(counts)
    told = " | ".join(str(shares[key]) for key in ("recall", "precision", "bound"))
    return f"| {source} | {language} | {counts['definitions']} | {counts['theirs']} | {told} |"
