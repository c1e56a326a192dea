"""`redline instruct FILE "INSTRUCTION"`: change a file by instruction, shown first."""

from __future__ import annotations

import argparse
import os
import sys

from redline.cli.commands.documents.open_file import Opened, open_source
from redline.cli.dry_run import note_refusal, refuse_before_asking
from redline.cli.flags import add_guarded_flag, origin_of
from redline.cli.terminal import (
    NOTHING_FOUND,
    ask,
    ask_number,
    err,
    fail,
    is_terminal,
    out,
    out_bytes,
    paint,
    paint_diff,
    program,
)
from redline.core.changes import Change, ChangeSet, FileState, digest_of
from redline.core.diff import diff_labels, diff_of_files
from redline.core.errors import InvalidArgument, RedlineError
from redline.core.paths import Access
from redline.core.text_limits import shorten
from redline.core.wording import visible
from redline.instruct.engine import Proposal, found_message
from redline.instruct.model.operations import DocumentOperation, pointer
from redline.services import instructions
from redline.services.documents import refuse_code
from redline.wiring.workspace import Redline

_WIDTH = 60
_LISTED = 200


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument(
        "instruction", metavar="INSTRUCTION", help="exact forms or commands (docs/tools/json.md)"
    )
    add_flags(parser)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the flags this command shares with its older name."""
    parser.epilog = """examples:
  redline instruct config.yaml "set the server port to 9090"
  redline instruct shop.json "increase all prices by 10%" --dry-run
  redline instruct config.json '[{"op": "remove", "path": "/debug"}]' --yes

exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 nothing to change
FILE may be -: the document is read from standard input, the changed one goes to standard output.
"""
    add_guarded_flag(parser)
    parser.add_argument("--yes", "-y", action="store_true", help="apply without asking")
    parser.add_argument("--dry-run", action="store_true", help="only show the changes")
    parser.add_argument(
        "--choose", type=int, metavar="N", help="of several readings, apply the one listed as N"
    )
    parser.add_argument(
        "--llm", metavar="NAME", help="ollama:MODEL, openai:MODEL, ... for free English"
    )
    parser.add_argument("--workspace", default=".", metavar="DIR", help="default: this directory")
    parser.add_argument("--state-dir", metavar="DIR", help="where history lives")


def run(args: argparse.Namespace) -> int:
    """Propose, show, ask, apply."""
    try:
        return _run(args)
    except RedlineError as error:
        fail(error.message, error.hint)
        return 1


def _run(args: argparse.Namespace) -> int:
    _refuse_swapped(args)
    refuse_code(args.file, None, takes_format=False)
    opened = open_source(args, Access.READ if args.dry_run else Access.WRITE)
    with opened.redline:
        return _instruct(args, opened)


def _refuse_swapped(args: argparse.Namespace) -> None:
    """Refuse a file and an instruction in each other's place."""
    if args.file != "-" and not os.path.isfile(args.file) and os.path.isfile(args.instruction):
        order = 'FILE "INSTRUCTION"' if args.command == "instruct" else '"INSTRUCTION" FILE'
        raise InvalidArgument(
            f"The instruction is where the file should be: {args.file}",
            field="file",
            hint=f"{program()} {args.command} {order}",
        )


def _instruct(args: argparse.Namespace, opened: Opened) -> int:
    confined = opened.redline.confined
    form = instructions.form_of(confined, opened.name, opened.source)
    document = instructions.read_document(confined, opened.source, form)
    setting = args.llm or os.environ.get("REDLINE_LLM") or "off"
    redline = Redline(opened.redline.settings._replace(llm=setting))
    proposal = instructions.propose_with(lambda: redline.llm, document, args.instruction)
    if proposal.candidates:
        proposal = _choose(proposal, args.choose)
    if proposal.status != "success":
        return _explain(proposal)
    digest = digest_of(opened.source)
    source = instructions.Source(document, digest, opened.name, opened.place, opened.source, form)
    after = instructions.plan_file(confined, source, proposal.operations)
    if opened.place is None and not args.dry_run:
        out_bytes(after)
        return 0
    _show(opened, proposal, after)
    if args.dry_run:
        if opened.place is not None:
            note_refusal(args, opened.redline, _plan_change(opened, after), "instruct")
        return 0
    if not args.yes and not _ask(args, opened, after):
        return 1
    _commit(args, opened, after)
    count = len(proposal.operations)
    out(f"Applied {count} change{'' if count == 1 else 's'}; {program()} undo takes it back.")
    return 0


def _ask(args: argparse.Namespace, opened: Opened, after: bytes) -> bool:
    """Return whether the person wants the change; raise what would refuse it."""
    refuse_before_asking(args, opened.redline, _plan_change(opened, after), "instruct")
    if ask(f"Apply to {opened.name}?"):
        return True
    out("Nothing was changed.")
    if not sys.stdin.isatty():
        err("  hint: there is no terminal to ask at: --yes applies it, --dry-run only shows it")
    return False


def _choose(proposal: Proposal, number: int | None) -> Proposal:
    """Return the reading the person chooses by its number, else the question itself."""
    if number is None and sys.stdin.isatty():
        err(proposal.message)
        _list(proposal)
        number = ask_number("Which one is meant?", len(proposal.candidates))
    if number is None:
        return proposal
    if not 1 <= number <= len(proposal.candidates):
        raise InvalidArgument(
            f"There is no reading {number}",
            field="choose",
            hint=f"choose 1 to {len(proposal.candidates)}",
        )
    operations = proposal.candidates[number - 1].operations
    return Proposal("success", found_message(len(operations)), operations)


def _list(proposal: Proposal) -> None:
    for place, candidate in enumerate(proposal.candidates, 1):
        err(f"  {place}. {candidate.says}")


def _explain(proposal: Proposal) -> int:
    if proposal.status == "no_changes":
        out(proposal.message)
        return NOTHING_FOUND
    fail(proposal.message)
    if proposal.candidates:
        _list(proposal)
        err(f"  {program()} instruct ... --choose N applies one of these")
        return 1
    for suggestion in proposal.suggestions:
        err(f"  try: {suggestion}")
    return 1


def _show(opened: Opened, proposal: Proposal, after: bytes) -> None:
    for place, operation in enumerate(proposal.operations[:_LISTED]):
        out(_line(place, operation))
    if len(proposal.operations) > _LISTED:
        out(f"... and {len(proposal.operations) - _LISTED} more, all of them in the diff below")
    diff = diff_of_files(opened.source, after, *diff_labels(opened.name), fold=is_terminal())
    out(paint_diff(diff).rstrip("\n"))


def _line(place: int, operation: DocumentOperation) -> str:
    """Return one change in a line: where, from what to what."""
    where = (
        pointer(operation.new_path)
        if operation.new_path
        else _one_line(instructions.shown(operation.value))
    )
    change = f"{_one_line(instructions.shown(operation.old))} -> {where}"
    if operation.op == "remove":
        change = f"{_one_line(instructions.shown(operation.old))} removed"
    elif operation.op in ("add", "insert"):
        change = f"{_one_line(instructions.shown(operation.value))} added"
    name = paint(visible(pointer(operation.path))[0], "bold")
    return f"{instructions.change_id(place)}  {name}  {change}"


def _one_line(text: str) -> str:
    return shorten(visible(text.replace("\n", " "))[0], _WIDTH)


def _commit(args: argparse.Namespace, opened: Opened, after: bytes) -> None:
    origin = origin_of(args, "instruct", args.instruction[:200])
    opened.redline.editor.commit(_plan_change(opened, after), origin)


def _plan_change(opened: Opened, after: bytes) -> ChangeSet:
    assert opened.place is not None
    assert opened.state is not None
    change = Change(opened.place, opened.state, FileState.of(after, opened.state.mode))
    return ChangeSet((change,))
