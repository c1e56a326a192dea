"""How well Redline knows code: definitions, renames, and what an index of many files costs.

    python -m bench.programs.context definitions [SET...]   as ctags and the TypeScript service do
    python -m bench.programs.context renames [SET...]       as pyright and that service do
    python -m bench.programs.context references [SET...]    the same lines as those two answer
    python -m bench.programs.context index [--files N]      index N files, then time answers
    python -m bench.programs.context index --short          few of them, and no result is kept

Everything is read from archives pinned in corpora.toml (fetched once) and from this repository.
The modules of bench/agreement say what counts as agreement. Results go to results/context.json,
each part beside what the others measured before.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.agreement import references, renames
from bench.agreement.definitions import LANGUAGES, agree
from bench.library.measure import RESULTS, MemoryWatch, Report, Row
from bench.trials.process import family_cpu_ms
from redline.code.syntax.languages import language_of
from redline.settings import Settings
from redline.wiring.workspace import Redline

# The share of definitions that must be found, and of listed ones that must be real.
ENOUGH = 95.0
SHORT_FILES = 500


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


def index(count: int) -> tuple[dict[str, Any], list[Row]]:
    """Index *count* files in one go and time the answers that follow."""
    facts: dict[str, Any] = {}

    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "work", Path(folder) / "state"
        root.mkdir()
        count = gather(count, root)
        settings = Settings(workspace=str(root), state_dir=str(state), read_only=True)
        with Redline(settings) as redline:
            begun, cpu = time.perf_counter(), family_cpu_ms(os.getpid())
            with MemoryWatch() as memory:
                redline.code_index.build()
            facts["files indexed"] = count
            facts["seconds"] = round(time.perf_counter() - begun, 1)
            facts["CPU seconds"] = round((family_cpu_ms(os.getpid()) - cpu) / 1000, 1)
            size = (state / "index" / "index.sqlite").stat().st_size
            facts["index MB"] = round(size / 1e6)
            facts["peak memory MB, all processes"] = round(memory.peak_mb)
            begun = time.perf_counter()
            redline.code_index.build()
            facts["again, nothing changed, seconds"] = round(time.perf_counter() - begun, 2)
            changed = [path for path in root.rglob("*.py") if path.stat().st_size < 100_000][:100]
            for path in changed:
                path.write_bytes(path.read_bytes() + b"\n# changed\n")
            begun = time.perf_counter()
            redline.code_index.build()
            facts["again, 100 files changed, seconds"] = round(time.perf_counter() - begun, 2)
            print(facts)
            return facts, _time_answers(redline)


def _time_answers(redline: Redline) -> list[Row]:
    rows: list[Row] = []
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
        times: list[float] = []
        cpu = time.process_time()
        for name in names if title != "structure" else names[:20]:
            begun = time.perf_counter()
            ask(name)
            times.append(1000 * (time.perf_counter() - begun))
        rows.append(_timed(title, times, cpu))
    return rows + _time_tool(redline, names[:40])


def _timed(title: str, times: list[float], cpu: float) -> Row:
    spent = 1000 * (time.process_time() - cpu) / len(times)
    ordered = sorted(times)
    middle, late = statistics.median(times), ordered[int(len(ordered) * 0.95)]
    note = f"worst {ordered[-1]:.1f} ms of {len(times)}"
    print(f"{title}: median {middle:.1f} ms, {note}")
    return Row(title, "redline", round(spent, 2), round(middle, 2), round(late, 2), note=note)


def _time_tool(redline: Redline, names: list[str]) -> list[Row]:
    """The whole tool, files read and snippets fitted, as a server calls it."""
    from redline.toolsets.ai_code_editing.context import get_code_context
    from redline.toolsets.ai_code_editing.tools import GET_CODE_CONTEXT
    from redline.toolsets.call import Call
    from redline.toolsets.tool import Client

    class Never:
        """Nobody cancels."""

        def check(self) -> None:
            """Go on."""

        def on_cancel(self, action: object) -> None:
            """Never."""

    rows: list[Row] = []
    for title, arguments in (
        ("tool, definition", lambda name: {"symbol": name}),
        ("tool, references", lambda name: {"symbol": name, "kind": "references"}),
        ("tool, structure", lambda _: {"kind": "structure"}),
        ("tool, query", lambda name: {"query": f"where is {name} parsed"}),
    ):
        times: list[float] = []
        cpu = time.process_time()
        for name in names:
            given = arguments(name)
            call = Call(GET_CODE_CONTEXT, given, redline, Client(), Never(), lambda *_: None)
            begun = time.perf_counter()
            get_code_context(call)
            times.append(1000 * (time.perf_counter() - begun))
        rows.append(_timed(title, times, cpu))
    return rows


def keep(part: str, facts: Any, rows: list[Row] | None = None) -> None:
    """Write what *part* measured, beside what the other parts measured before."""
    report = Report("context")
    target = RESULTS / "context.json"
    known = json.loads(target.read_text("utf-8")) if target.exists() else {"facts": {}, "rows": []}
    report.facts = {**known["facts"], part: facts}
    report.rows = rows if rows is not None else [Row(**row) for row in known["rows"]]
    report.save()


def main() -> int:
    """Run the part that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    one = parts.add_parser("definitions")
    one.add_argument("sets", nargs="*", help="sets of corpora.toml; all when none is named")
    one.add_argument("--language", action="append", help="only this language")
    one.add_argument("--show", type=int, default=0, help="print so many differences per source")
    two = parts.add_parser("renames")
    two.add_argument("sets", nargs="*")
    two.add_argument("--files", type=int, default=150, help="at most so many of each language")
    two.add_argument("--show", type=int, default=10)
    two.add_argument("--seed", type=int, default=renames.SEED)
    three = parts.add_parser("references")
    three.add_argument("sets", nargs="*", help="sets or names of corpora.toml, own, unseen")
    three.add_argument("--picks", type=int, default=references.PER_SOURCE, help="of each source")
    three.add_argument("--show", type=int, default=0)
    three.add_argument("--seed", type=int, default=references.SEED)
    four = parts.add_parser("index")
    four.add_argument("--files", type=int, default=20_000)
    four.add_argument("--short", action="store_true", help="few files, and no result is kept")
    args = parser.parse_args()
    if args.part == "index" and args.short:
        index(SHORT_FILES)
        return 0
    if args.part == "index":
        keep("index", *index(args.files))
        return 0
    if args.part == "renames":
        languages = ("python", "javascript", "typescript")
        made = renames.compare(tuple(args.sets), languages, args.files, args.show, args.seed)
        keep("renames", made)
        return 1 if any(found["wrong"] for found in made.values()) else 0
    if args.part == "references":
        sets, all_of = tuple(args.sets), references.LANGUAGES
        told = references.compare(sets, all_of, args.picks, args.show, args.seed)
        keep("references", told)
        return 0 if all(min(f["recall"], f["precision"]) >= ENOUGH for f in told.values()) else 1
    found = agree(tuple(args.sets), args.language or LANGUAGES, args.show)
    if not args.language:
        keep("definitions", found)
    return 0 if all(min(f["recall"], f["precision"]) >= ENOUGH for f in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
