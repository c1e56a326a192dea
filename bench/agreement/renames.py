"""Renames against pyright and the TypeScript service: the same places, or a refusal.

Fixed before measuring: names are picked at random (seeded) among all identifiers of the files,
definitions, uses, parameters and members alike. Each is renamed by `rename NAME to FRESH` with
`start_line` at the picked line, and by the service at the picked place. `wrong` is a rename that
is made and touches other places of the file than the service's, leaving out places in strings
and comments, which a rename never touches. A refusal is counted, never wrong. What the service
itself declines to rename (imports of modules, builtins) is not compared, nor are names that a
script does not define: the service is given no libraries that could tell what those are.
"""

from __future__ import annotations

import io
import json
import random
import subprocess
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from typing import Any

from bench.library.corpora import archives, tool
from bench.library.language_server import LanguageServer
from redline.code.rename.in_file import names_of, plan_rename
from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import language_of
from redline.core.errors import InvalidArgument

FRESH = "renamed_by_bench"
SEED = 20_260
PER_FILE = 12


@dataclass(frozen=True, slots=True)
class Expected:
    """What a service would do: the name at `start`, and every place as (start, end)."""

    path: Path
    name: str
    start: int
    spots: frozenset[tuple[int, int]]


def by_typescript(files: list[Path], rng: random.Random) -> Iterator[Expected]:
    """Renames of the TypeScript service, file by file."""
    script = Path(__file__).with_name("service.mjs")
    package = tool("typescript").folder() / "package"
    lines = [
        json.dumps({"path": str(file), "picks": [rng.random() for _ in range(PER_FILE)]})
        for file in files
        if all(ord(char) < 0x10000 for char in _text(file))
    ]
    done = subprocess.run(
        ["node", str(script), str(package)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        found = json.loads(line)
        spots = frozenset((start, end) for start, end, _ in found["spots"])
        yield Expected(Path(found["path"]), found["name"], found["start"], spots)


def by_pyright(files: list[Path], rng: random.Random) -> Iterator[Expected]:
    """Renames of pyright, each file alone in a workspace."""
    with tempfile.TemporaryDirectory() as folder:
        argv = [
            "node",
            str(tool("pyright").folder() / "package" / "langserver.index.js"),
            "--stdio",
        ]
        with LanguageServer(argv, Path(folder)) as server:
            for file in files:
                text = _text(file)
                words = list(_words(text))
                if not words or not text.isascii():
                    continue
                uri = server.open(f"{file.stem}.py", text, "python")
                starts = _starts(text)
                for line, column, name in rng.sample(words, min(PER_FILE, len(words))):
                    spots = server.rename(uri, line, column, FRESH)
                    inside = frozenset((starts[a] + b, starts[c] + d) for a, b, c, d in spots)
                    yield Expected(file, name, starts[line] + column, inside)
                server.close_file(uri)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            plain = token.type == tokenize.NAME and not iskeyword(token.string)
            if plain and not issoftkeyword(token.string):
                yield token.start[0] - 1, token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def compare(
    sets: tuple[str, ...], languages: tuple[str, ...], most: int, show: int, seed: int = SEED
) -> dict[str, Any]:
    """Per language: how many renames, how many refused, how many wrong."""
    report: dict[str, Any] = {}
    for language in languages:
        rng = random.Random(seed)
        files = [f for a in archives(*sets) if a.language == language for f in a.files()]
        files = rng.sample(files, min(most, len(files)))
        service = by_pyright if language == "python" else by_typescript
        counts: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for expected in service(files, rng):
            verdict, why = _verdict(expected)
            counts[verdict] += 1
            if verdict != "declined" and _is_scoped(expected):
                counts[f"scoped {verdict}"] += 1
            if verdict == "refused":
                reasons[why] += 1
            if verdict == "wrong" and counts["wrong"] <= show:
                print(f"wrong: {why}")
        compared = counts["same"] + counts["refused"] + counts["wrong"]
        report[language] = {
            "renames": compared,
            "same": counts["same"],
            "refused": counts["refused"],
            "refused %": round(100 * counts["refused"] / max(1, compared), 1),
            "wrong": counts["wrong"],
            "names of scopes": sum(counts[f"scoped {v}"] for v in ("same", "refused", "wrong")),
            "of these refused": counts["scoped refused"],
            "files": len(files),
        }
        print(language, report[language], dict(counts), dict(reasons.most_common(8)))
    return report


_parsed: dict[Path, Parsed] = {}


def _verdict(expected: Expected) -> tuple[str, str]:
    if not expected.spots:
        return "declined", ""
    if expected.path not in _parsed:
        _parsed.clear()
        known = language_of(expected.path.name)
        assert known is not None
        text = _text(expected.path)
        _parsed[expected.path] = parse(text, known)
    parsed = _parsed[expected.path]
    if _is_undefined(expected, parsed):
        return "declined", ""
    text = parsed.text
    line = text.count("\n", 0, expected.start) + 1
    try:
        made = plan_rename(parsed, expected.name, FRESH, lines=range(line, line + 1))
    except InvalidArgument as error:
        return "refused", " ".join(str(error).split(":")[0].split()[:6])
    ours = {(item.start, item.end) for item in made}
    theirs = {spot for spot in expected.spots if not _is_text(expected.path, parsed, spot)}
    if ours == theirs:
        return "same", ""
    extra = sorted(text.count("\n", 0, start) + 1 for start, _ in ours - theirs)
    missed = sorted(text.count("\n", 0, start) + 1 for start, _ in theirs - ours)
    return "wrong", f"{expected.path}:{line} {expected.name} extra {extra[:5]} missed {missed[:5]}"


def _is_undefined(expected: Expected, parsed: Parsed) -> bool:
    """Whether a script uses the picked name without defining it."""
    if parsed.language.name == "python":
        return False
    try:
        names = names_of(parsed)
    except InvalidArgument:
        return False
    found = [spot for spot in names.occurrences if spot.start == expected.start]
    return bool(found) and found[0].binding is None


def _is_scoped(expected: Expected) -> bool:
    """Whether the picked word is a name of a scope, not a member or key."""
    parsed = _parsed[expected.path]
    try:
        names = names_of(parsed)
    except InvalidArgument:
        return False
    return any(spot.start == expected.start for spot in names.occurrences)


_texts: dict[Path, list[tuple[int, int]]] = {}


def _is_text(path: Path, parsed: Parsed, spot: tuple[int, int]) -> bool:
    """Whether a place lies in a comment or a string (but not in code within one)."""
    if path not in _texts:
        _texts.clear()
        kinds = ["comment", "string_fragment", "string"]
        known = {"python": ["comment", "string_content"]}.get(parsed.language.name, kinds)
        found = parsed.root.find_all(any=[{"kind": kind} for kind in known])
        _texts[path] = [(n.range().start.index, n.range().end.index) for n in found]
    return any(start <= spot[0] < end for start, end in _texts[path])
