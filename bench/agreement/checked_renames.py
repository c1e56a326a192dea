"""`rename` in whole projects with a language server, judged by each project's own checker.

    python -m bench.agreement.checked_renames typescript TSC PROJECT...
    python -m bench.agreement.checked_renames python MYPY PROJECT...
    python -m bench.agreement.checked_renames c CLANG PROJECT...

Fixed before measuring: 20 definitions of each project are picked at random (seeded) among all
that its files have, members included. Each is renamed by its path and line to a name that nothing
has. The judge is not the server that was asked: `tsc` and `mypy` read the whole project before and
after every rename that is made. `refused`: Redline plans nothing. `wrong`: the checker has a
problem that it did not have before. Projects are fetched by name with the ordinary client of their
registry; `rename_projects.toml` names them. REDLINE_RENAMES=40 takes more of each project.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic, process_time
from typing import NamedTuple

from redline.code.syntax.languages import language_group, language_of
from redline.core.call_scope import UNCANCELLABLE
from redline.core.changes import Change, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.settings import Settings
from redline.wiring.workspace import Redline

SEED = 36_2026
FRESH = "renamedByBench"
EACH = int(os.environ.get("REDLINE_RENAMES", "20"))
_POSITION = re.compile(r"\(\d+,\d+\)|:\d+(:\d+)?")
_TSC_OPTIONS = {
    "noEmit": True,
    "strict": True,
    "skipLibCheck": True,
    "allowJs": True,
    "types": [],
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
}


class Place(NamedTuple):
    """A definition to rename."""

    path: Path
    line: int
    name: str
    kind: str


def check(language: str, tool: str, root: Path) -> Counter[str]:
    """Return what the checker finds, without positions and with the old name."""
    if language == "typescript":
        argv = [tool, "-p", str(root), "--pretty", "false"]
    elif language == "python":
        argv = [tool, "--no-error-summary", "--ignore-missing-imports", "--check-untyped-defs"]
        argv += ["--allow-redefinition", f"--cache-dir={root.parent / 'mypy'}", "."]
    else:
        files = [str(path) for path in sorted(root.rglob("*.c*")) if path.suffix != ".json"]
        argv = [tool, "-fsyntax-only", "-w", f"-I{root}", f"-I{root / 'include'}", *files]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    found = [line for line in lines if re.search(r"\berror\b", line)]
    if done.returncode < 0 or (done.returncode and not found):
        raise RuntimeError(f"nothing was checked: {lines[:3]}")
    return Counter(_POSITION.sub("", line) for line in found)


def _definitions(redline: Redline, root: Path, group: str) -> list[Place]:
    found: list[Place] = []
    for path in sorted(root.rglob("*")):
        language = language_of(path.name) if path.is_file() else None
        is_left_out = {"node_modules", ".git"} & set(path.relative_to(root).parts)
        if language is None or language_group(language.name) != group or is_left_out:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for symbol in redline.analysis.symbols(text, language):
            name = symbol.name.rpartition(".")[2]
            is_special = name.startswith("__") or name == "constructor"
            if name.isidentifier() and not is_special and symbol.kind != "alias":
                found.append(Place(path, symbol.line, name, symbol.kind))
    return list(dict.fromkeys(found))


def measure(language: str, tool: str, project: Path) -> Counter[str]:
    """Count how renames in one project end."""
    counts: Counter[str] = Counter()
    group = language_group(language)
    with tempfile.TemporaryDirectory() as held:
        root = Path(held) / project.name
        shutil.copytree(project, root, symlinks=True)
        if language == "typescript" and not (root / "tsconfig.json").exists():
            config = {"compilerOptions": _TSC_OPTIONS, "include": ["src"]}
            (root / "tsconfig.json").write_text(json.dumps(config))
        before = check(language, tool, root)
        state = Path(held) / "state"
        settings = Settings(workspace=str(root), state_dir=str(state), record=False)
        with Redline(settings) as redline:
            redline.code_index.build()
            # Whether a rename is right is measured here, on a machine that does other work too.
            redline.language_servers.patience = 300.0
            places = _definitions(redline, root, group)
            random.Random(SEED).shuffle(places)
            for place in places[:EACH]:
                verdict, why = _try(redline, language, tool, root, place, before)
                counts[verdict] += 1
                name = place.path.relative_to(root)
                print(f"{verdict}: {name}:{place.line} {place.kind} {place.name}{why}", flush=True)
    return counts


def _try(
    redline: Redline, language: str, tool: str, root: Path, place: Place, before: Counter[str]
) -> tuple[str, str]:
    at = redline.workspace.resolve(str(place.path), Access.READ)
    request = RenameRequest(place.name, FRESH, at, place.line)
    began, asked = monotonic(), []
    try:
        made = plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE, asked.append)
    except RedlineError as error:
        return "refused", f": {error.message[:300]}"
    took = f" {monotonic() - began:.2f} s{' by server' if asked else ''}"
    kept: dict[Path, bytes] = {}
    try:
        for step in made.change_set.steps:
            if isinstance(step, Change) and isinstance(step.after, FileState):
                target = root / step.path.relative
                kept[target] = target.read_bytes()
                target.write_bytes(step.after.content or b"")
        after = check(language, tool, root)
    finally:
        for target, content in kept.items():
            target.write_bytes(content)
    old = Counter({line.replace(FRESH, place.name): n for line, n in after.items()})
    new = old - before
    kind = "right by server" if asked else "right"
    return ("wrong", f"{took}: {list(new)[:3]}") if new else (kind, took)


def main(argv: list[str]) -> None:
    """Print how each rename ends, and the sums."""
    language, tool, *projects = argv
    total: Counter[str] = Counter()
    for project in projects:
        counts = measure(language, tool, Path(project).resolve())
        print(Path(project).name, dict(counts), flush=True)
        total += counts
    tried = total.total()
    print(f"{language}: {tried} renames in {len(projects)} projects, {dict(total)}")
    print(f"refused {100 * total['refused'] / max(1, tried):.1f} %, wrong {total['wrong']}")
    print(f"CPU {process_time():.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
