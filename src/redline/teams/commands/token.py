"""`redline token new|list|revoke`: who may use a server, and by which tokens."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, date, datetime, timedelta

from redline.cli.terminal import err, fail, one_line, out, paint, program
from redline.teams.people.users import UsersFileError, parse_users
from redline.wiring.command_line import write_private_file

EXAMPLES = """examples:
  redline token new ana --rights read,write,run   a token for somebody new
  redline token new ana --days 30                 one more, for a month
  redline token new ana --page                    one to sign in at the review page
  redline token list                              who has which rights and tokens
  redline token revoke 3f9a12cd                   no longer accept a token
  redline serve --users users.toml                serve those people only

rights: read, write (changes files), run (commands; needs write too), undo-others,
approve (decides about held changes, guarded files and permissions of commands),
admin (makes and archives workspaces)

A token that an agent uses does not sign in at the review page, and one for the page calls no tool:
what is decided there was decided by the person.

A running server notices the changed file at its next request. Rights are edited in the file itself,
for a workspace by the name of its directory:

  [users.ana]
  rights = ["read", "write"]
  [users.ana.workspaces]
  billing = ["read"]
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="make a token; it is printed once and kept nowhere")
    new.add_argument("user", help="whose token it is")
    new.add_argument("--rights", help="what somebody new may do, comma separated")
    new.add_argument("--days", type=int, metavar="N", help="how long it is valid (default: ever)")
    new.add_argument(
        "--page",
        action="store_true",
        help="a token that only signs in at the review page",
    )
    listing = actions.add_parser("list", help="list people, their rights and tokens")
    revoke = actions.add_parser("revoke", help="no longer accept a token")
    revoke.add_argument("id", help="the token's id, from the list")
    for each in (new, listing, revoke):
        each.add_argument(
            "--users", metavar="FILE", help="the users file (default: users.toml beside the config)"
        )


def run(args: argparse.Namespace) -> int:
    """Change or list the tokens of the users file."""
    path = os.path.abspath(args.users or _default_path())
    try:
        if args.action == "new":
            return _new(path, args)
        if args.action == "revoke":
            return _revoke(path, args.id)
        return _list(path)
    except UsersFileError as failure:
        fail(f"{path}: {failure}")
        return 1
    except OSError as failure:
        fail(f"Cannot use the users file: {path}: {failure.strerror}")
        return 1


def _default_path() -> str:
    from redline.settings import config_home

    return os.path.join(config_home(os.environ), "users.toml")


def _new(path: str, args: argparse.Namespace) -> int:
    from redline.core.access.rights import parse_rights
    from redline.teams.people.tokens import add_token

    text = _read(path)
    try:
        rights = parse_rights(args.rights.split(",")) if args.rights is not None else None
    except ValueError as failure:
        fail(str(failure).capitalize())
        return 2
    if args.days is not None and args.days < 1:
        fail(f"--days takes a number above zero, got {args.days}")
        return 2
    known = parse_users(text).by_name
    if args.user not in known and rights is None:
        fail(
            f"No such user: {args.user}",
            f"for somebody new: {program()} token new {args.user} --rights read,write",
        )
        return 1
    if args.user in known and rights is not None:
        fail(f"{args.user} is known already", f"edit the rights in {path}, and leave out --rights")
        return 1
    expires = _today() + timedelta(days=args.days) if args.days else None
    made = add_token(
        text, args.user, today=_today(), rights=rights, expires=expires, is_for_page=args.page
    )
    write_private_file(path, made.text.encode())
    out(made.token)
    until = f", valid until {expires}" if expires else ""
    err(f"token {made.id} of {one_line(args.user)}{until}; it is shown only now")
    return 0


def _revoke(path: str, token: str) -> int:
    from redline.teams.people.tokens import revoke_token

    write_private_file(path, revoke_token(_read(path), token).encode())
    out(f"revoked {token}")
    return 0


def _list(path: str) -> int:
    now = datetime.now(UTC)
    users = parse_users(_read(path)).by_name
    if not users:
        out("nobody yet")
        return 3
    for user in users.values():
        out(f"{paint(one_line(user.name), 'bold')}  {_names(user.rights)}")
        for name, rights in user.workspaces.items():
            out(f"  in {one_line(name)}: {_names(rights)}")
        for token in user.tokens:
            until = f"until {token.expires:%Y-%m-%d}" if token.expires else ""
            state = until if token.is_valid(now) else "expired"
            page = "for the review page" if token.is_for_page else ""
            out("  ".join(["  token " + one_line(token.id), *filter(None, (page, state))]))
    return 0


def _names(rights: frozenset[str]) -> str:
    return ", ".join(sorted(rights)) or "no rights"


def _today() -> date:
    return datetime.now(UTC).date()


def _read(path: str) -> str:
    from pathlib import Path

    return Path(path).read_text("utf-8") if os.path.exists(path) else ""
