"""Format and check a planned change in the sandbox, before anything of it is committed.

The formatters and checkers are those that the project configures.
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, FileState, Rename
from redline.core.errors import RedlineError
from redline.core.line_diff import diff_lines, split_lines
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import Command, Finished
from redline.core.ports.history import Origin
from redline.core.ports.search import Cancel
from redline.core.ports.tree import Kind, PathResolver, Tree
from redline.core.records import dataclass, field
from redline.services.names import display_name
from redline.services.runtime import Runtime


class CheckerMessage(NamedTuple):
    """One message of a checker about a file; `line` is 0 where it names none."""

    tool: str
    path: str
    line: int
    code: str
    message: str

    def __str__(self) -> str:
        code = f"{self.code} " if self.code else ""
        return f"{self.path}:{self.line}: {code}{self.message} ({self.tool})"


_COLONS = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?P<message>.+)$", re.MULTILINE
)
_FORMS = {
    "mypy": re.compile(
        r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? error: (?P<message>.+?)"
        r"(?:  \[(?P<code>[\w-]+)\])?$",
        re.MULTILINE,
    ),
    "ruff": re.compile(
        r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?:(?P<code>[A-Z]+\d+|[\w-]+:) )?"
        r"(?:\[\*\] )?(?P<message>.+)$",
        re.MULTILINE,
    ),
    "ruff format": re.compile(
        r"Failed to parse (?P<path>[^\n:]+):(?P<line>\d+):\d+: (?P<message>.+)$", re.MULTILINE
    ),
    "tsc": re.compile(
        r"^(?P<path>[^\s(][^\n(]*)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): (?P<message>.+)$",
        re.MULTILINE,
    ),
    "prettier": re.compile(
        r"^\[error\] (?P<path>[^\n:]+): (?P<message>.+?) \((?P<line>\d+):\d+\)$", re.MULTILINE
    ),
    "rustfmt": re.compile(
        r"^error(?:\[(?P<code>\w+)\])?: (?P<message>.+)\n\s*--> (?P<path>.+?):(?P<line>\d+):\d+$",
        re.MULTILINE,
    ),
}
_LINE_NUMBER = re.compile(r"\bline \d+")


def read_problems(tool: str, output: str, name: Callable[[str], str]) -> list[CheckerMessage]:
    """Return what *output* of a tool names; *name* turns its paths into ours."""
    found = _FORMS.get(tool, _COLONS).finditer(output)
    return [
        CheckerMessage(
            tool,
            name(match["path"]),
            int(match["line"]),
            (match.groupdict().get("code") or "").rstrip(":"),
            match["message"].strip(),
        )
        for match in found
    ]


def find_new(
    before: Sequence[CheckerMessage],
    after: Sequence[CheckerMessage],
    moved: Callable[[str, int], int],
) -> list[CheckerMessage]:
    """Return the problems of *after* that *before* does not have, each as often as it is new.

    Lines move, so a problem is known by its file and message. *moved* says where a line of the
    old file is in the new one: it chooses which of several alike is the new one.
    """
    old = _group(before)
    fresh: list[CheckerMessage] = []
    for key, group in _group(after).items():
        known = old.get(key, [])
        extra = len(group) - len(known)
        if extra > 0:
            fresh += _choose(group, known, extra, moved)
    order = {problem: number for number, problem in enumerate(after)}
    return sorted(fresh, key=lambda problem: order[problem])


def _choose(
    group: Sequence[CheckerMessage],
    known: Iterable[CheckerMessage],
    extra: int,
    moved: Callable[[str, int], int],
) -> list[CheckerMessage]:
    expected = Counter(moved(problem.path, problem.line) for problem in known)
    first: list[CheckerMessage] = []
    rest: list[CheckerMessage] = []
    for problem in group:
        if expected[problem.line] > 0:
            expected[problem.line] -= 1
            rest.append(problem)
        else:
            first.append(problem)
    return [*first, *rest][:extra]


def _group(
    problems: Iterable[CheckerMessage],
) -> dict[tuple[str, str, str, str], list[CheckerMessage]]:
    groups: dict[tuple[str, str, str, str], list[CheckerMessage]] = {}
    for problem in problems:
        message = _LINE_NUMBER.sub("line", problem.message)
        groups.setdefault((problem.tool, problem.path, problem.code, message), []).append(problem)
    return groups


def first_words(*outputs: str) -> str:
    """Return the first line that says something."""
    return next(_words(outputs), "it said nothing")


def _words(outputs: Iterable[str]) -> Iterator[str]:
    for output in outputs:
        yield from (line.strip() for line in output.splitlines() if line.strip())


# Seconds one program may take.
MAX_SECONDS = 120.0
_MAX_OUTPUT = 4 << 20
_NOT_FOUND = (126, 127)


@dataclass(frozen=True, slots=True)
class Checked:
    """A change after its formatters, the problems it makes, and what is worth mentioning."""

    change_set: ChangeSet
    problems: tuple[CheckerMessage, ...] = ()
    notes: tuple[str, ...] = ()


def check_change(
    runtime: Runtime, change_set: ChangeSet, origin: Origin, cancel: Cancel
) -> Checked:
    """Run what the project configures on the files that *change_set* leaves.

    Problems that the old contents have too are left out. A file is formatted if it is new or was
    formatted before. SandboxUnavailable where no command can run on a copy-on-write view.
    """
    files = _files_after(runtime.tree, change_set)
    runs = find_runs(runtime.tree, runtime.workspace, list(files))
    if not runs:
        none = "nothing was checked: the project configures no formatter or checker for these files"
        return Checked(change_set, (), (none,) if files else ())
    return _Checking(runtime, files, origin, cancel, change_set).run(runs)


def _files_after(tree: Tree, change_set: ChangeSet) -> dict[WorkspacePath, WorkspacePath | None]:
    """Return the files that are there after the change, each with what it was before."""
    found: dict[WorkspacePath, WorkspacePath | None] = {}
    for step in change_set.steps:
        if isinstance(step, Rename):
            entry = tree.stat(step.source)
            if step.source in found or (entry is not None and entry.kind is Kind.FILE):
                found[step.target] = found.pop(step.source, step.source)
        elif isinstance(step.after, FileState):
            found.setdefault(step.path, None if isinstance(step.before, Absent) else step.path)
        else:
            found.pop(step.path, None)
    return found


@dataclass(slots=True)
class _Checking:
    runtime: Runtime
    files: Mapping[WorkspacePath, WorkspacePath | None]
    origin: Origin
    cancel: Cancel
    planned: ChangeSet
    problems: list[CheckerMessage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checkers: list[str] = field(default_factory=list)

    def run(self, runs: Sequence[ToolRun]) -> Checked:
        for run in runs:
            if run.tool.formats:
                self._format(run)
        for run in runs:
            if not run.tool.formats:
                self._check(run)
        if self.checkers and not self.problems:
            self.notes.append(f"checked by {', '.join(self.checkers)}: no new problem")
        return Checked(self.planned, tuple(self.problems), tuple(dict.fromkeys(self.notes)))

    def _format(self, run: ToolRun) -> None:
        done, _ = self._try(run)
        if done is None:
            return
        formatted = _contents(done.proposal or ChangeSet())
        contents = {path: formatted[path] for path in _contents(self.planned) if path in formatted}
        unformatted = self._find_unformatted(run, contents) if contents else set()
        kept = {path: text for path, text in contents.items() if path not in unformatted}
        self.planned = _with_contents(self.planned, kept)
        if kept:
            self.notes.append(f"formatted by {run.tool.name}: {self._names(kept)}")
        if unformatted:
            self.notes.append(
                f"not formatted, as it was not before by {run.tool.name}: "
                + self._names(unformatted)
            )

    def _find_unformatted(
        self, run: ToolRun, contents: Mapping[WorkspacePath, bytes]
    ) -> set[WorkspacePath]:
        """Return those of *contents* whose old content the formatter would change too."""
        was = {old: path for path in contents if (old := self._was_in(run, path)) is not None}
        if not was:
            return set()
        done = self._start(run, run.line(was), self._old(was))
        if done is None or done.proposal is None:
            return set()
        return {was[path] for path in _contents(done.proposal) if path in was}

    def _check(self, run: ToolRun) -> None:
        _, is_judged = self._try(run)
        if is_judged and run.tool.name not in self.checkers:
            self.checkers.append(run.tool.name)

    def _try(self, run: ToolRun) -> tuple[Finished | None, bool]:
        """Run a tool on the planned contents; also return whether it could judge them."""
        done = self._start(run, run.line(), self.planned)
        if done is None:
            return None, False
        found = self._read(run, done)
        if found:
            self._add_new(run, found)
        elif done.state.exit_code != 0:
            self._note_failure(run, done)
            return done, False
        return done, True

    def _add_new(self, run: ToolRun, found: list[CheckerMessage]) -> None:
        """Add those of *found* that the old contents do not have."""
        was = [old for path in run.files if (old := self._was_in(run, path)) is not None]
        before: list[CheckerMessage] = []
        if was or run.is_whole:
            done = self._start(run, run.line(was), self._old(was))
            before = self._read(run, done) if done is not None else []
        self.problems += find_new(self._rename_files(before), found, self._moved_lines())

    def _old(self, files: Iterable[WorkspacePath]) -> ChangeSet:
        """Return a change that leaves *files* as they are: in a view they have times of views."""
        states = ((path, self.runtime.tree.state(path)) for path in files)
        return ChangeSet(tuple(Change(path, state, state) for path, state in states))

    def _was_in(self, run: ToolRun, path: WorkspacePath) -> WorkspacePath | None:
        """Return what *path* was before, if that lies in the directory of the run."""
        old = self.files[path]
        return old if old is not None and old.is_beneath(run.folder) else None

    def _rename_files(self, problems: list[CheckerMessage]) -> list[CheckerMessage]:
        names = {
            self._name(old): self._name(path) for path, old in self.files.items() if old is not None
        }
        return [each._replace(path=names.get(each.path, each.path)) for each in problems]

    def _moved_lines(self) -> Callable[[str, int], int]:
        """Return what maps a line of an old file to its line in the new one."""
        changed = {
            self._name(step.path): step for step in self.planned.steps if isinstance(step, Change)
        }
        hunks: dict[str, list[tuple[int, int]]] = {}

        def map_line(name: str, line: int) -> int:
            step = changed.get(name)
            if step is None:
                return line
            if name not in hunks:
                hunks[name] = _shifts(step)
            at = bisect_right(hunks[name], (line, 1 << 60)) - 1
            return line + (hunks[name][at][1] if at >= 0 else 0)

        return map_line

    def _start(self, run: ToolRun, line: str, planned: ChangeSet) -> Finished | None:
        """Run a line on a view of its own; None without the program, or when it takes too long."""
        command = Command(
            line, run.folder, timeout=MAX_SECONDS, overlay=True, planned=planned, owner="check"
        )
        done = self.runtime.commands.run(command, self.origin, self.cancel, _MAX_OUTPUT)
        if done.state.status == "timeout":
            self.notes.append(f"not checked by {run.tool.name}: over {MAX_SECONDS:.0f} seconds")
            return None
        if done.state.exit_code in _NOT_FOUND:
            self.notes.append(
                f"{run.tool.program} is configured and was not found, in the project's environment"
                " or on PATH"
            )
            return None
        return done

    def _read(self, run: ToolRun, done: Finished) -> list[CheckerMessage]:
        output = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
        return read_problems(run.tool.name, output, lambda raw: self._name_of(run, raw))

    def _note_failure(self, run: ToolRun, done: Finished) -> None:
        said = (part.decode("utf-8", "replace") for part in (done.stderr, done.stdout))
        self.notes.append(f"{run.tool.name} failed: {first_words(*said)[:300]}")

    def _name_of(self, run: ToolRun, raw: str) -> str:
        """Return the name for answers of a path that a program printed."""
        workspace = self.runtime.workspace
        top = workspace.roots[run.folder.root].path
        full = os.path.normpath(os.path.join(workspace.absolute(run.folder), raw))
        inside = os.path.relpath(full, top)
        if inside.startswith(".."):
            return show_name(full)
        return self._name(WorkspacePath(run.folder.root, tuple(inside.split(os.sep))))

    def _name(self, path: WorkspacePath) -> str:
        return display_name(self.runtime.workspace, path)

    def _names(self, paths: Mapping[WorkspacePath, bytes] | set[WorkspacePath]) -> str:
        shown = sorted(map(self._name, paths))
        more = f" and {len(shown) - 10} more" if len(shown) > 10 else ""
        return ", ".join(shown[:10]) + more


def _contents(change_set: ChangeSet) -> dict[WorkspacePath, bytes]:
    return {
        step.path: step.after.content
        for step in change_set.steps
        if isinstance(step, Change)
        and isinstance(step.after, FileState)
        and step.after.content is not None
    }


def _with_contents(change_set: ChangeSet, contents: Mapping[WorkspacePath, bytes]) -> ChangeSet:
    """Return the change with other contents in the last step of each of these files."""
    left, steps = dict(contents), list(change_set.steps)
    for number in reversed(range(len(steps))):
        step = steps[number]
        if isinstance(step, Change) and isinstance(step.after, FileState) and step.path in left:
            after = FileState.of(left.pop(step.path), step.after.mode)
            steps[number] = Change(step.path, step.before, after)
    return ChangeSet(tuple(steps))


def _shifts(step: Change) -> list[tuple[int, int]]:
    """Return from which line on, counted from 1, old lines are how much further down."""
    before = step.before.content if isinstance(step.before, FileState) else None
    after = step.after.content if isinstance(step.after, FileState) else None
    if before is None or after is None:
        return []
    hunks = diff_lines(split_lines(before), split_lines(after))
    return [(hunk.i2 + 1, hunk.j2 - hunk.i2) for hunk in hunks]


_MAX_SETTINGS = 1 << 20
# The shell line is one argument, for which the kernel's limit is 128 KiB; leave room for the rest.
_MAX_NAMES = 100_000
_PYTHON = (".py", ".pyi")
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs")
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_PRETTY = (
    *_SCRIPT,
    *_TYPED,
    ".css",
    ".scss",
    ".less",
    ".html",
    ".vue",
    ".json",
    ".jsonc",
    ".json5",
    ".yaml",
    ".yml",
    ".md",
    ".graphql",
)
_ENVIRONMENTS = ((".venv", "bin"), ("venv", "bin"), ("node_modules", ".bin"))
_PROGRAMS = ("js", "cjs", "mjs", "ts", "cts", "mts")
_PRETTIER_FILES = (
    ".prettierrc",
    *(f".prettierrc.{end}" for end in ("json", "yml", "yaml", "json5", "toml", *_PROGRAMS)),
    *(f"prettier.config.{end}" for end in _PROGRAMS),
)
_OTHER_FORMATTERS = ("black", "yapf", "autopep8")
# The cache is in the command's home, which lasts as long as the server. A checker runs in a
# copy-on-write view of the workspace, which is discarded with its command.
_MYPY_ARGUMENTS = (
    "--no-error-summary --no-color-output --no-pretty --show-error-codes"
    ' --cache-dir "$HOME/.cache/mypy"'
)
_OLDEST_EDITION = "2015"


class ProjectFolder:
    """Reads the settings in one directory of a project."""

    def __init__(self, tree: Tree, path: WorkspacePath) -> None:
        self._tree = tree
        self.path = path

    def has(self, *names: str) -> bool:
        """Return whether the directory has an entry with one of *names*."""
        return any(self._tree.stat(self.path.child(name)) is not None for name in names)

    def text(self, name: str) -> str:
        """Return the text of a file; empty when it cannot be read."""
        try:
            return self._tree.read(self.path.child(name), _MAX_SETTINGS).decode()
        except (RedlineError, UnicodeError):
            return ""

    def toml(self, name: str) -> dict[str, Any]:
        """Return the tables of a TOML file; empty when it cannot be read."""
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}

    def python_tools(self) -> dict[str, Any]:
        """Return the `[tool]` table of pyproject.toml."""
        found = self.toml("pyproject.toml").get("tool")
        return found if isinstance(found, dict) else {}

    def ini_section(self, name: str, section: str) -> dict[str, str]:
        """Return one section of an INI file; empty when it cannot be read."""
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(self.text(name))
        except configparser.Error:
            return {}
        return dict(parser[section]) if parser.has_section(section) else {}


@dataclass(frozen=True, slots=True)
class ProjectTool:
    """A formatter or checker, and how a project's settings configure it.

    `arguments` returns what precedes the file names. Where `whole` returns True, the program gets
    no file names and checks the files that the project's settings select.
    """

    name: str
    program: str
    suffixes: tuple[str, ...]
    configured: Callable[[ProjectFolder], bool]
    arguments: Callable[[ProjectFolder], str]
    formats: bool = False
    whole: Callable[[ProjectFolder], bool] = lambda _folder: False


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a program: its directory, and the files that it gets as arguments."""

    tool: ProjectTool
    folder: WorkspacePath
    line_start: str
    files: tuple[WorkspacePath, ...]
    is_whole: bool = False

    def line(self, files: Iterable[WorkspacePath] | None = None) -> str:
        """Return the shell line, for *files* instead of the run's own if given."""
        if self.is_whole:
            return self.line_start
        depth = len(self.folder.parts)
        chosen = self.files if files is None else files
        names = (quote("/".join(path.parts[depth:])) for path in chosen)
        return f"{self.line_start} -- {' '.join(names)}"


def _has_ruff(folder: ProjectFolder) -> bool:
    return folder.has("ruff.toml", ".ruff.toml") or "ruff" in folder.python_tools()


def _has_ruff_format(folder: ProjectFolder) -> bool:
    others = folder.python_tools()
    return _has_ruff(folder) and not any(name in others for name in _OTHER_FORMATTERS)


def _mypy_settings(folder: ProjectFolder) -> dict[str, Any] | None:
    for name in ("mypy.ini", ".mypy.ini"):
        if folder.has(name):
            return folder.ini_section(name, "mypy")
    found = folder.python_tools().get("mypy")
    if isinstance(found, dict):
        return found
    return folder.ini_section("setup.cfg", "mypy") or None


def _has_prettier(folder: ProjectFolder) -> bool:
    if folder.has(*_PRETTIER_FILES):
        return True
    return '"prettier"' in folder.text("package.json")


def _rust_arguments(folder: ProjectFolder) -> str:
    package = folder.toml("Cargo.toml").get("package")
    edition = package.get("edition", _OLDEST_EDITION) if isinstance(package, dict) else ""
    return f"--edition {quote(edition if isinstance(edition, str) and edition else '2021')}"


def _names_mypy_files(folder: ProjectFolder) -> bool:
    settings = _mypy_settings(folder) or {}
    return any(settings.get(key) for key in ("files", "packages", "modules"))


_TOOLS = (
    ProjectTool(
        "ruff format",
        "ruff",
        _PYTHON,
        _has_ruff_format,
        lambda _folder: "format --no-cache --force-exclude --quiet",
        formats=True,
    ),
    ProjectTool(
        "gofmt",
        "gofmt",
        (".go",),
        lambda folder: folder.has("go.mod"),
        lambda _folder: "-w",
        formats=True,
    ),
    ProjectTool(
        "prettier",
        "prettier",
        _PRETTY,
        _has_prettier,
        lambda _folder: "--write --ignore-unknown --log-level error",
        formats=True,
    ),
    ProjectTool(
        "rustfmt",
        "rustfmt",
        (".rs",),
        lambda folder: folder.has("Cargo.toml"),
        _rust_arguments,
        formats=True,
    ),
    ProjectTool(
        "ruff",
        "ruff",
        _PYTHON,
        _has_ruff,
        lambda _folder: "check --no-cache --force-exclude --quiet --output-format concise",
    ),
    ProjectTool(
        "mypy",
        "mypy",
        _PYTHON,
        lambda folder: _mypy_settings(folder) is not None,
        lambda _folder: _MYPY_ARGUMENTS,
        whole=_names_mypy_files,
    ),
    ProjectTool(
        "tsc",
        "tsc",
        _TYPED,
        lambda folder: folder.has("tsconfig.json"),
        lambda _folder: "--noEmit --pretty false -p .",
        whole=lambda _folder: True,
    ),
)


def find_runs(tree: Tree, workspace: PathResolver, files: Sequence[WorkspacePath]) -> list[ToolRun]:
    """Return the runs for *files*, formatters first, by the settings nearest to each file."""
    found: list[ToolRun] = []
    for tool in _TOOLS:
        known: dict[WorkspacePath, bool] = {}
        groups: dict[WorkspacePath, list[WorkspacePath]] = {}
        for path in files:
            if path.name.endswith(tool.suffixes):
                folder = _nearest(tree, tool, path, known)
                if folder is not None:
                    groups.setdefault(folder, []).append(path)
        for at, members in groups.items():
            found += _runs_in(tree, workspace, tool, at, members)
    return found


def _nearest(
    tree: Tree, tool: ProjectTool, path: WorkspacePath, known: dict[WorkspacePath, bool]
) -> WorkspacePath | None:
    """Return the nearest directory above *path* whose settings configure *tool*."""
    for at in _ancestors(path.parent):
        if at not in known:
            known[at] = tool.configured(ProjectFolder(tree, at))
        if known[at]:
            return at
    return None


def _ancestors(at: WorkspacePath) -> Iterator[WorkspacePath]:
    while at.parts:
        yield at
        at = at.parent
    yield at


def _runs_in(
    tree: Tree,
    workspace: PathResolver,
    tool: ProjectTool,
    at: WorkspacePath,
    members: Sequence[WorkspacePath],
) -> Iterator[ToolRun]:
    folder = ProjectFolder(tree, at)
    own = [workspace.absolute(place) for place in _environments(tree, at)]
    path = f'PATH={quote(":".join([*own, ""]))}"$PATH"'
    found = f"command -v {tool.program} >/dev/null || exit 127"
    start = f"{path}; {found}; {tool.program} {tool.arguments(folder)}"
    if tool.whole(folder):
        yield ToolRun(tool, at, start, tuple(members), is_whole=True)
        return
    chunk: list[WorkspacePath] = []
    size = 0
    for member in members:
        length = len(quote(member.relative).encode("utf-8", "surrogateescape")) + 1
        if chunk and size + length > _MAX_NAMES:
            yield ToolRun(tool, at, start, tuple(chunk))
            chunk, size = [], 0
        chunk.append(member)
        size += length
    yield ToolRun(tool, at, start, tuple(chunk))


def _environments(tree: Tree, at: WorkspacePath) -> Iterator[WorkspacePath]:
    """Yield the project's own program directories, such as `.venv/bin`, nearest first."""
    for above in _ancestors(at):
        for name, inner in _ENVIRONMENTS:
            place = above.child(name).child(inner)
            entry = tree.stat(place)
            if entry is not None and entry.kind is Kind.DIRECTORY:
                yield place
