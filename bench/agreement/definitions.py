"""How far Redline's definitions agree with universal-ctags and the TypeScript service.

Fixed before measuring:

- The reference is universal-ctags for Python, Go, Rust, Java and C, and the navigation tree of
  the TypeScript language service for JavaScript and TypeScript (ctags knows too little of their
  newer syntax).
- A definition is a triple of file, name and line of the name.
- COUNTED lists the reference's kinds that are definitions: functions, methods, types, their
  members, macros, modules, and values of a module or class as the reference emits them. Names
  that ctags makes up for what has none are left out.
- What `const` and `let` name within a block or a loop is no value of its module, though the tree
  of the TypeScript service shows it among them when no function is around: an outline that lists
  every variable of a loop helps nobody. What `var` names in a block is: it is the whole module's.
- Recall: the share of the reference's counted definitions that Redline lists, whatever kind it
  gives them. Precision: the share of all that Redline lists, of every kind, that the reference
  knows, whatever kind it gives them (prototypes, external variables and the like switched on).
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bench.library.corpora import archives, own_files, tool
from bench.library.peers import REPO
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.languages import language_of

# By our name of a language: its name in ctags, the counted kinds, and kinds to switch on.
CTAGS = {
    "python": ("Python", {"class", "function", "member", "variable"}, ""),
    "go": (
        "Go",
        {
            *("func", "type", "struct", "interface", "const", "var", "member", "methodSpec"),
            "talias",
        },
        "",
    ),
    "rust": (
        "Rust",
        {
            *("module", "struct", "interface", "function", "enum", "typedef", "macro", "field"),
            *("enumerator", "method", "constant", "variable"),
        },
        "",
    ),
    "java": (
        "Java",
        {"annotation", "class", "enumConstant", "field", "enum", "interface", "method"},
        "",
    ),
    "c": (
        "C",
        {
            *("macro", "enumerator", "function", "enum", "member", "struct", "typedef", "union"),
            "variable",
        },
        "px",
    ),
}
# The kinds of the TypeScript service; values count at the top of a module only.
SERVICE = {
    *("class", "interface", "enum", "enum member", "function", "method", "getter", "setter"),
    *("type", "module"),
}
SERVICE_TOP = {"const", "let", "var"}
LANGUAGES = (*CTAGS, "javascript", "typescript")
Row: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows with their kinds: those that count as definitions, and all there are."""

    counted: dict[Row, str]
    everything: dict[Row, str]


@dataclass(slots=True)
class Agreement:
    """The comparison of some files of one language."""

    files: int
    theirs: Listing
    ours: dict[Row, str]

    @property
    def missing(self) -> set[Row]:
        """Counted by the reference, not listed by Redline."""
        return self.theirs.counted.keys() - self.ours.keys()

    @property
    def extra(self) -> set[Row]:
        """Listed by Redline, unknown to the reference."""
        return self.ours.keys() - self.theirs.everything.keys()

    @property
    def counts(self) -> Counter[str]:
        """The numbers, to be added up."""
        return Counter(
            files=self.files,
            theirs=len(self.theirs.counted),
            ours=len(self.ours),
            missing=len(self.missing),
            extra=len(self.extra),
        )


def by_ctags(files: list[Path], language: str) -> Listing:
    """What ctags sees."""
    name, kinds, more = CTAGS[language]
    flags = ["--output-format=json", "--fields=+nK", "--sort=no", f"--language-force={name}"]
    if more:
        flags.append(f"--kinds-{name}=+{more}")
    everything: dict[Row, str] = {}
    for tag in _piped(["ctags", *flags, "-f", "-", "-L", "-"], files):
        if tag.get("_type") == "tag" and not _made_up(tag["name"]):
            everything[tag["path"], tag["name"], tag["line"]] = tag["kind"]
    return Listing({row: k for row, k in everything.items() if k in kinds}, everything)


def by_service(files: list[Path]) -> Listing:
    """What the TypeScript language service sees."""
    script = Path(__file__).with_name("navigation.mjs")
    package = tool("typescript").folder() / "package"
    counted, everything = {}, {}
    for tag in _piped(["node", str(script), str(package)], files):
        row = (tag["path"], tag["name"].strip("\"'"), tag["line"])
        everything[row] = tag["kind"]
        if tag["kind"] in SERVICE or (tag["top"] and tag["kind"] in SERVICE_TOP):
            counted[row] = tag["kind"]
    return Listing(counted, everything)


def _piped(command: list[str], files: list[Path]) -> list[dict[str, Any]]:
    names = "\n".join(map(str, files))
    done = subprocess.run(command, input=names, capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.split("\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _made_up(name: str) -> bool:
    return name.startswith(("__anon", "anonymous", "AnonymousFunction", "AnonymousClass", "<"))


def by_redline(files: Iterable[Path]) -> dict[Row, str]:
    """What Redline sees."""
    found: dict[Row, str] = {}
    for file in files:
        known = language_of(file.name)
        assert known is not None
        text = file.read_bytes().decode("utf-8", "replace")
        for symbol in symbols_of(parse(text, known)):
            found[str(file), symbol.name, symbol.line] = symbol.kind
    return found


def compare(files: list[Path], language: str) -> Agreement:
    """Both listings of *files*."""
    theirs = by_ctags(files, language) if language in CTAGS else by_service(files)
    return Agreement(len(files), theirs, by_redline(files))


def places(language: str, sets: tuple[str, ...]) -> dict[str, list[Path]]:
    """This repository and the archives of these sets, with their files of *language*."""
    found = {a.title: a.files() for a in archives(*sets) if a.language == language}
    own = own_files(language)
    return {**({REPO.name: own} if own else {}), **found}


def agree(sets: tuple[str, ...], languages: Iterable[str], show: int) -> dict[str, Any]:
    """Print the table; per language recall, precision and what they are of."""
    report: dict[str, Any] = {}
    print("| source | language | files | theirs | redline | recall % | precision % |")
    print("|" + "---|" * 7)
    for language in languages:
        total: Counter[str] = Counter()
        shown = []
        for title, files in places(language, sets).items():
            result = compare(files, language)
            total.update(result.counts)
            shown.append(title if title != REPO.name else "this repository")
            print(_row(shown[-1], language, result.counts))
            _show(result, show)
        print(_row("all", language, total))
        recall, precision = _shares(total)
        report[language] = {
            "recall": round(recall, 2),
            "precision": round(precision, 2),
            "definitions": total["theirs"],
            "files": total["files"],
            "of": ", ".join(shown),
        }
    return report


def _show(result: Agreement, most: int) -> None:
    def spread(rows: set[Row]) -> list[Row]:
        ordered = sorted(rows)
        return ordered[:: max(1, len(ordered) // most)][:most] if most else []

    for row in spread(result.missing):
        print(f"    only theirs: {result.theirs.counted[row]} {row[1]} {row[0]}:{row[2]}")
    for row in spread(result.extra):
        print(f"    only ours: {result.ours[row]} {row[1]} {row[0]}:{row[2]}")
    if most:
        kinds = Counter(result.theirs.counted[row] for row in result.missing)
        print("    missing by kind:", dict(kinds.most_common(8)))
        print("    extra by kind:", dict(Counter(result.ours[r] for r in result.extra)))


def _shares(counts: Counter[str]) -> tuple[float, float]:
    recall = 100 - 100 * counts["missing"] / max(1, counts["theirs"])
    return recall, 100 - 100 * counts["extra"] / max(1, counts["ours"])


def _row(source: str, language: str, counts: Counter[str]) -> str:
    recall, precision = _shares(counts)
    numbers = f"{counts['files']} | {counts['theirs']} | {counts['ours']}"
    return f"| {source} | {language} | {numbers} | {recall:.1f} | {precision:.1f} |"
