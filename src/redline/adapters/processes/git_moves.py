"""What git did to a repository, in words: from the refs, HEAD and logs that it changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from redline.core.paths import show_name

# What a file of the git directory held before and holds now; None where it is not there.
Change = tuple[bytes | None, bytes | None]

_ENTRY = re.compile(r"^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t\n]*\t(.*)$", re.MULTILINE)
_SWITCH = re.compile(r"checkout: moving from (.+) to (.+)")
_REBASE = re.compile(
    r"(?:rebase|pull .*?rebase)\b.*?(?:\((\w+)\))?: (?:returning to refs/heads/)?(.*)"
)
_RENAMED = "Branch: renamed "
_HASH = re.compile(r"[0-9a-f]{40,64}\Z")
_BRANCH = "ref: refs/heads/"
_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag"}
_SHORT = 7
_MAX_WORD, _MAX_SAID = 60, 4


def tells_a_move(name: str) -> bool:
    """Whether a file of a git directory tells what git did."""
    named = ("HEAD", "packed-refs", "logs/HEAD", "logs/refs/stash")
    return name in named or name.startswith(("refs/heads/", "refs/tags/"))


def describe_moves(changed: Mapping[str, Change], head: bytes) -> list[str]:
    """Return what git did in a few words each; *head* is what HEAD says now.

    `packed-refs` belongs to *changed* also where it is the same: it has what refs were before.
    """
    entries = _new_entries(changed.get("logs/HEAD", (b"", b"")))
    said = _describe_entries(entries, _branch_of(head))
    before = changed.get("HEAD", (head, head))[0] or b""
    if not said and _branch_of(head) not in ("", _branch_of(before)):
        said.append(f"switched to branch {_branch_of(head)}")
    known = {each for entry in entries for each in entry[:2]}
    said += _describe_refs(changed, known, " ".join(said))
    stash = changed.get("logs/refs/stash")
    if stash is not None:
        kept, now = ((each or b"").count(b"\n") for each in stash)
        said.append("stashed" if now > kept else "took from the stash")
    more = len(said) - _MAX_SAID
    return [*said[:_MAX_SAID], f"{more} more"] if more > 0 else said


def _new_entries(log: Change) -> list[tuple[str, str, str]]:
    """Return the hash before, the hash after and the message of what was added to a log."""
    before, now = (each or b"" for each in log)
    added = now[len(before) :] if now.startswith(before) else b""
    return _ENTRY.findall(added.decode("utf-8", "replace"))


def _describe_entries(entries: list[tuple[str, str, str]], branch: str) -> list[str]:
    """Walk back from *branch*: a switch names the branch that what came before it was done on."""
    said: list[str] = []
    is_rebase = False
    for before, now, message in reversed(entries):
        was_rebase, is_rebase = is_rebase, False
        switch, rebase = _SWITCH.fullmatch(message), _REBASE.fullmatch(message)
        if switch:
            to = now if switch[2] == "HEAD" else switch[2]
            said.append(f"switched to {'branch ' if to == branch else ''}{_shorten(to)}")
            branch = "" if _HASH.match(switch[1]) else switch[1]
        elif rebase:
            is_rebase = True
            if not was_rebase or rebase[1] in ("finish", "abort"):
                said.append(_describe_rebase(rebase[1], rebase[2]))
        elif before != now and not message.startswith(_RENAMED):  # else a stash cleaned up
            on = f" on {_shorten(branch)}" if branch else ""
            said.append(f"{_shorten(message.partition(': ')[0])} {now[:_SHORT]}{on}")
    return said[::-1]


def _describe_rebase(step: str, branch: str) -> str:
    if step == "finish":
        return f"rebased {_shorten(branch)}"
    return "aborted a rebase" if step == "abort" else "began a rebase, which is not finished"


def _describe_refs(changed: Mapping[str, Change], known: set[str], said: str) -> Iterator[str]:
    """Yield the branches and tags that were made, moved or deleted, except for what was *said*."""
    for name, (before, now) in sorted(_changed_refs(changed).items()):
        prefix = next(each for each in _KINDS if name.startswith(each))
        short = _shorten(name[len(prefix) :])
        where = (now or b"").decode("ascii", "replace").strip()
        if now is None:
            yield f"deleted {_KINDS[prefix]} {short}"
        elif before is None and f"switched to branch {short}" not in said:
            yield f"made {_KINDS[prefix]} {short}"
        elif before is not None and where not in known:
            yield f"moved {_KINDS[prefix]} {short} to {where[:_SHORT]}"


def _changed_refs(changed: Mapping[str, Change]) -> dict[str, Change]:
    """Return the refs that differ; one that was packed is read from `packed-refs`."""
    packed, left = (_read_packed(each) for each in changed.get("packed-refs", (b"", b"")))
    found: dict[str, Change] = {name: (packed[name], None) for name in packed.keys() - left.keys()}
    for name, (before, now) in changed.items():
        if name.startswith(tuple(_KINDS)):
            found[name] = (before or packed.get(name), now or left.get(name))
    return {name: pair for name, pair in found.items() if pair[0] != pair[1]}


def _read_packed(data: bytes | None) -> dict[str, bytes]:
    rows = (line.split(" ", 1) for line in (data or b"").decode("utf-8", "replace").splitlines())
    return {
        row[1]: f"{row[0]}\n".encode()
        for row in rows
        if len(row) == 2 and row[1].startswith(tuple(_KINDS))
    }


def _branch_of(head: bytes) -> str:
    text = head.decode("utf-8", "replace").strip()
    return text[len(_BRANCH) :] if text.startswith(_BRANCH) else ""


def _shorten(name: str) -> str:
    return show_name(name[:_SHORT] if _HASH.match(name) else name[:_MAX_WORD])
