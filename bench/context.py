"""Definitions against ctags and the TypeScript service; what an index of many files costs.

    python -m bench.context agree DIR...      agreement per language on the files of DIR
    python -m bench.context index --files N   index N files, then time answers

Agreement is over (file, name, line): `found` is the share of the other's definitions that Redline
has too, `shared` the share of Redline's types and functions that the other has. JavaScript and
TypeScript are compared with the language service (node, --typescript names the npm package):
ctags does not know the newer syntax of either.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.app import Redline
from redline.code.definitions import parse, symbols_of
from redline.code.languages import language_of
from redline.settings import Settings

# Kinds of universal-ctags that are definitions in our sense, by our name of the language.
CTAGS = {
    "python": ("Python", {"class", "function", "member"}),
    "go": ("Go", {"func", "type", "struct", "interface", "const", "var", "member", "methodSpec"}),
    "rust": (
        "Rust",
        {
            *("module", "struct", "interface", "function", "enum", "typedef", "macro", "field"),
            *("enumerator", "method", "constant", "variable"),
        },
    ),
    "java": (
        "Java",
        {"annotation", "class", "enumConstant", "field", "enum", "interface", "method"},
    ),
    "c": (
        "C",
        {"macro", "enumerator", "function", "enum", "member", "struct", "typedef", "union"},
    ),
}
SERVICE = {
    *("class", "interface", "enum", "enum member", "function", "method", "getter", "setter"),
    *("type", "module"),
}
# What of ours the other side must have as well.
OURS = {
    "function",
    *("class", "method", "interface", "struct", "trait", "enum", "union", "namespace", "type"),
    "macro",
}
LANGUAGES = (*CTAGS, "javascript", "typescript")
# What compilers and bundlers wrote.
MADE = {"dist", "bundles", "_esm5", "_esm2015", "cjs", "esm", "esm5", "node_modules"}
Row = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows with their kinds: those that are definitions, and all there are."""

    definitions: dict[Row, str]
    everything: dict[Row, str]


def by_ctags(files: list[Path], language: str) -> Listing:
    """What ctags sees."""
    name, kinds = CTAGS[language]
    flags = ["--output-format=json", "--fields=+nK", "--sort=no", f"--language-force={name}"]
    listed = _piped(["ctags", *flags, "-f", "-", "-L", "-"], files)
    everything: dict[Row, str] = {}
    for tag in listed:
        if tag.get("_type") == "tag" and not _made_up(tag["name"]):
            everything[tag["path"], tag["name"], tag["line"]] = tag["kind"]
    return Listing({row: k for row, k in everything.items() if k in kinds}, everything)


def by_service(files: list[Path], package: str) -> Listing:
    """What the TypeScript language service sees."""
    script = Path(__file__).with_name("navigation.mjs")
    everything = {
        (tag["path"], tag["name"].strip("\"'"), tag["line"]): tag["kind"]
        for tag in _piped(["node", str(script), package], files)
    }
    return Listing({row: k for row, k in everything.items() if k in SERVICE}, everything)


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
    """Names ctags invents for what has none."""
    return name.startswith(("__anon", "anonymous", "AnonymousFunction", "AnonymousClass", "<"))


def by_redline(files: list[Path]) -> Listing:
    """What Redline sees."""
    everything: dict[Row, str] = {}
    for file in files:
        known = language_of(file.name)
        assert known is not None
        text = file.read_bytes().decode("utf-8", "replace")
        for symbol in symbols_of(parse(text, known)):
            everything[str(file), symbol.name, symbol.line] = symbol.kind
    return Listing({row: k for row, k in everything.items() if k in OURS}, everything)


def sources(directory: Path) -> dict[str, list[Path]]:
    """Files of the compared languages, generated and vendored oddities left out."""
    found: dict[str, list[Path]] = {}
    for path in sorted(directory.rglob("*")):
        language = language_of(path.name)
        if language is None or language.name not in LANGUAGES or not path.is_file():
            continue
        if path.name.endswith((".d.ts", ".min.js")) or path.stat().st_size > 400_000:
            continue
        if MADE & set(path.relative_to(directory).parts):
            continue
        found.setdefault(language.name, []).append(path)
    return found


def agree(directories: list[Path], package: str, show: int) -> bool:
    """Print the table; whether every language is at 95 % or more."""
    totals: dict[str, Counter[str]] = {}
    print("| source | language | files | theirs | redline | found % | shared % |")
    print("|" + "---|" * 7)
    for directory in directories:
        for language, files in sources(directory).items():
            if language in CTAGS:
                theirs = by_ctags(files, language)
            elif package:
                theirs = by_service(files, package)
            else:
                continue
            ours = by_redline(files)
            missing = theirs.definitions.keys() - ours.everything.keys()
            extra = ours.definitions.keys() - theirs.everything.keys()
            counts = Counter(
                files=len(files),
                theirs=len(theirs.definitions),
                ours=len(ours.definitions),
                missing=len(missing),
                extra=len(extra),
            )
            totals.setdefault(language, Counter()).update(counts)
            print(_row(directory.name, language, counts))
            for row in sorted(missing)[:show]:
                print(f"    only theirs: {theirs.definitions[row]} {row[1]} {row[0]}:{row[2]}")
            for row in sorted(extra)[:show]:
                print(f"    only ours: {ours.definitions[row]} {row[1]} {row[0]}:{row[2]}")
    for language, counts in totals.items():
        print(_row("all", language, counts))
    return all(c["missing"] <= 0.05 * c["theirs"] for c in totals.values())


def _row(source: str, language: str, counts: Counter[str]) -> str:
    found = 100 - 100 * counts["missing"] / max(1, counts["theirs"])
    shared = 100 - 100 * counts["extra"] / max(1, counts["ours"])
    numbers = f"{counts['files']} | {counts['theirs']} | {counts['ours']}"
    return f"| {source} | {language} | {numbers} | {found:.1f} | {shared:.1f} |"


def gather(count: int, root: Path) -> int:
    """Copy *count* code files of this machine beneath *root*; how many there were."""
    places = [Path(sysconfig.get_paths()[key]) for key in ("purelib", "stdlib")]
    places += [Path("/usr/include"), Path("/usr/lib/python3"), Path("/usr/share")]
    done = 0
    for number, place in enumerate(p for p in places if p.is_dir()):
        for path in place.rglob("*"):
            if done >= count:
                return done
            if not path.is_file() or path.is_symlink() or language_of(path.name) is None:
                continue
            target = root / f"part{number}" / path.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            done += 1
    originals = [p for p in root.rglob("*") if p.is_file()]
    for copy in range(1, 1 + count // max(1, len(originals))):
        for path in originals:
            if done >= count:
                return done
            target = root / f"copy{copy}" / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            done += 1
    return done


def index(count: int) -> None:
    """Index *count* files in one go and time the answers that follow."""
    import resource

    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "work", Path(folder) / "state"
        root.mkdir()
        count = gather(count, root)
        settings = Settings(workspace=str(root), state_dir=str(state), read_only=True)
        with Redline(settings) as redline:
            begun = time.perf_counter()
            redline.code_index.build()
            took = time.perf_counter() - begun
            size = (state / "index" / "index.sqlite").stat().st_size
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{count} files: {took:.1f} s, index {size / 1e6:.0f} MB, peak {peak:.0f} MB")
            begun = time.perf_counter()
            redline.code_index.build()
            print(f"again, nothing changed: {time.perf_counter() - begun:.2f} s")
            _time_answers(redline)


def _time_answers(redline: Redline) -> None:
    code = redline.code_index
    names = [row.name for file, rows in code.structure(None, 100, 3)[0] for row in rows][:200]
    names += ["get", "name", "main", "read_file", "no_such_name"]
    for title, ask in (
        ("definitions", lambda name: code.definitions(name, 50)),
        ("uses", lambda name: code.uses(name, 50)),
        ("matching", lambda name: code.matching([name, "parse"], 50)),
        ("structure", lambda _: code.structure(None, 200, 8)),
        ("refresh", lambda _: code.refresh()),
    ):
        times = []
        for name in names if title != "structure" else names[:20]:
            begun = time.perf_counter()
            ask(name)
            times.append(1000 * (time.perf_counter() - begun))
        middle, worst = statistics.median(times), max(times)
        print(f"{title}: median {middle:.1f} ms, worst {worst:.1f} ms over {len(times)}")
    _time_tool(redline, names[:40])


def _time_tool(redline: Redline, names: list[str]) -> None:
    """The whole tool, files read and snippets fitted, as a server calls it."""
    from redline.dialects.code.context import get_code_context
    from redline.dialects.code.dialect import GET_CODE_CONTEXT
    from redline.dialects.tool import Call, Client

    class Never:
        """Nobody cancels."""

        def check(self) -> None:
            """Go on."""

        def on_cancel(self, action: object) -> None:
            """Never."""

    for title, arguments in (
        ("tool, definition", lambda name: {"symbol": name}),
        ("tool, references", lambda name: {"symbol": name, "kind": "references"}),
        ("tool, structure", lambda _: {"kind": "structure"}),
        ("tool, query", lambda name: {"query": f"where is {name} parsed"}),
    ):
        times = []
        for name in names:
            given = arguments(name)
            call = Call(GET_CODE_CONTEXT, given, redline, Client(), Never(), lambda *_: None)
            begun = time.perf_counter()
            get_code_context(call)
            times.append(1000 * (time.perf_counter() - begun))
        middle, worst = statistics.median(times), max(times)
        print(f"{title}: median {middle:.1f} ms, worst {worst:.1f} ms over {len(times)}")


def main() -> int:
    """Run the part that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("agree")
    one.add_argument("directories", nargs="+", type=Path)
    one.add_argument("--typescript", default="", help="path of the npm package typescript")
    one.add_argument("--show", type=int, default=0)
    two = parts.add_parser("index")
    two.add_argument("--files", type=int, default=20_000)
    args = parser.parse_args()
    if args.part == "index":
        index(args.files)
        return 0
    directories = [path.resolve() for path in args.directories]
    return 0 if agree(directories, args.typescript, args.show) else 1


if __name__ == "__main__":
    sys.exit(main())
