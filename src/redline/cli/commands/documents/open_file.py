"""What get, set, insert, delete and query share: a file or `-`, and the way back to it."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable

from redline.cli.dry_run import note_refusal
from redline.cli.flags import add_guarded_flag, origin_of, policy_from, state_dir_from
from redline.cli.terminal import (
    NOTHING_FOUND,
    err,
    fail,
    hide_secrets,
    is_terminal,
    out,
    out_bytes,
    paint_diff,
    program,
    standard_input,
)
from redline.core.call_scope import UNCANCELLABLE
from redline.core.changes import FileState
from redline.core.diff import diff_labels, diff_of_files
from redline.core.errors import (
    CannotApply,
    DocumentSyntax,
    InvalidArgument,
    IsADirectory,
    NodeNotFound,
    NotFound,
)
from redline.core.paths import Access, WorkspacePath
from redline.core.records import dataclass, replace
from redline.core.wording import join_texts
from redline.documents.base.model import MAX_BYTES
from redline.documents.base.path import render_path
from redline.documents.editing import DocEdit, Options, edit_at
from redline.documents.formats import FORMATS
from redline.documents.isolated import DocumentSource, apply_edits, detect
from redline.services.documents import EditedDocuments, edit_documents, plan_edits, refuse_code
from redline.settings import Settings
from redline.wiring.command_line import locate_workspace
from redline.wiring.workspace import Redline

EXIT_CODES = """exit codes:
  0  done
  1  refused or failed: the file does not parse, the value does not fit, the file cannot be written
  2  the command line, the path or the expression is malformed
  3  nothing is at the path, or nothing matches

FILE may be -: the document is read from standard input, and a changed one goes to standard output.
"""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags every document command takes."""
    parser.epilog = EXIT_CODES
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--format", choices=FORMATS, help="default: by name, else by content")
    parser.add_argument(
        "--doc-index", type=int, default=0, metavar="N", help="which YAML document; default 0"
    )
    parser.add_argument("--workspace", metavar="DIR", help="default: the workspace of FILE")
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where the history is (default: outside the workspace)"
    )


def add_edit_flags(parser: argparse.ArgumentParser, *, value: bool) -> None:
    """The flags of commands that change a file."""
    add_flags(parser)
    parser.add_argument("path", metavar="PATH", help='a.b, a[0], a[-1], a["x.y"]; a[+] appends')
    if value:
        parser.add_argument("value", metavar="VALUE", nargs="?", help="in the file's own syntax")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="VALUE is JSON, whatever the file is")
        form.add_argument("--string", "-s", metavar="TEXT", help="instead of VALUE: text, as it is")
    add_guarded_flag(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not show the diff")


@dataclass(frozen=True, slots=True)
class Opened:
    """The document a command works on; `place` is None for standard input."""

    redline: Redline
    name: str
    source: bytes
    place: WorkspacePath | None
    state: FileState | None = None


def exit_code_for(name: str, action: Callable[[], int]) -> int:
    """The exit code of *action* on a file, with its own code for a path that leads nowhere."""
    try:
        return action()
    except NodeNotFound as error:
        fail(error.message, error.hint)
        return NOTHING_FOUND
    except DocumentSyntax as error:
        # Scripts go through many files.
        shown = "standard input" if name == "-" else name
        error.message = join_texts(f"{shown}: ", error.message_text)
        raise


def open_source(args: argparse.Namespace, access: Access) -> Opened:
    """Read the document a command works on."""
    opened = _locate(args, access)
    return opened if opened.place is None else _read(opened)


def _locate(args: argparse.Namespace, access: Access) -> Opened:
    """Read standard input, or find the file without reading it."""
    # Who gives a document has its secrets, and writes what comes back into a file.
    redline = hide_secrets(Redline(_settings(args, access)), are_shown=args.file == "-")
    if args.file == "-":
        return Opened(redline, "-", standard_input(MAX_BYTES + 1), None)
    place = redline.workspace.resolve(os.path.abspath(args.file), access, must_exist=True)
    return Opened(redline, args.file, b"", place)


def source_of(opened: Opened, args: argparse.Namespace) -> DocumentSource:
    """Return the document and its format."""
    refuse_code(opened.name, args.format)
    form = detect(opened.redline.confined, opened.name, opened.source, args.format)
    return DocumentSource(opened.source, form, args.doc_index)


def edit_value(args: argparse.Namespace, action: str) -> int:
    """Set or insert the value that the command line has, as VALUE or as text."""
    if (args.value is None) == (args.string is None):
        raise InvalidArgument("Give VALUE, or --string TEXT instead", field="value")
    if args.string is not None:
        return edit(args, edit_at(action, args.path, args.string, as_text=True))
    wanted = edit_at(action, args.path, args.value, as_json=args.json, typed=not args.json)
    try:
        return edit(args, wanted)
    except CannotApply as error:
        if error.details.get("misread"):
            words = [program(), action, args.file, args.path, f"--string={args.value}"]
            error.hint = f"for text: {shlex.join(words)}"
            if error.details["misread"] == "mapping":
                error.hint += f"; for a mapping: {shlex.quote('{' + args.value + '}')}"
        raise


def edit(args: argparse.Namespace, wanted: DocEdit) -> int:
    """Carry out one edit, journalled; standard input goes to standard output instead."""
    refuse_code(args.file, args.format)
    opened = _locate(args, Access.READ if args.dry_run else Access.WRITE)
    options = Options(
        args.format, args.doc_index, create_parents=getattr(args, "create_parents", False)
    )
    with opened.redline as redline:
        if opened.place is None:
            done = apply_edits(redline.confined, opened.name, opened.source, [wanted], options)
            source, after, notes = opened.source, done.after, done.notes
        else:
            edited = _edit_file(args, opened, opened.place, wanted, options)
            file = edited.files[0]
            source, after, notes = file.source, file.after, file.notes
        _show(args, opened, source, after)
        for note in notes:
            err(f"note: {note}")
        if args.dry_run and opened.place is not None:
            note_refusal(args, redline, edited.change_set, wanted.action)
    return 0


def _edit_file(
    args: argparse.Namespace,
    opened: Opened,
    place: WorkspacePath,
    wanted: DocEdit,
    options: Options,
) -> EditedDocuments:
    def label(_: WorkspacePath) -> str:
        return opened.name

    runtime, edits = opened.redline, [wanted]
    if args.dry_run:
        return plan_edits(runtime, [place], edits, options, label, UNCANCELLABLE)
    summary = f"{wanted.action} {render_path(wanted.path)[:120]} in {opened.name}"
    origin = origin_of(args, wanted.action, summary)
    return edit_documents(runtime, [place], edits, options, label, origin, UNCANCELLABLE)


def _show(args: argparse.Namespace, opened: Opened, source: bytes, after: bytes) -> None:
    if opened.place is None and not args.dry_run:
        out_bytes(after)
        return
    if args.quiet and not args.dry_run:
        return
    diff = diff_of_files(source, after, *diff_labels(opened.name), fold=is_terminal())
    if diff:
        out(paint_diff(diff).rstrip("\n"))


def _read(opened: Opened) -> Opened:
    assert opened.place is not None
    state = opened.redline.tree.state(opened.place)
    if not isinstance(state, FileState):
        entry = opened.redline.tree.stat(opened.place)
        raise NotFound(opened.name) if entry is None else IsADirectory(opened.name)
    return replace(opened, source=state.content or b"", state=state)


def _settings(args: argparse.Namespace, access: Access) -> Settings:
    """The workspace, and the directory of a file that lies elsewhere: the person named it."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(args.file)))
    state_dir = state_dir_from(args)
    if args.workspace is None:
        here = "." if args.file == "-" else folder
        return locate_workspace(here, state_dir)._replace(
            allow_any_root=True, policy=policy_from(args)
        )
    workspace = os.path.realpath(args.workspace)
    settings = Settings(
        workspace=workspace, state_dir=state_dir, allow_any_root=True, policy=policy_from(args)
    )
    if args.file == "-":
        return settings
    if os.path.commonpath([workspace, folder]) == workspace:
        return settings
    return settings._replace(directories=((folder, access is Access.WRITE),))
