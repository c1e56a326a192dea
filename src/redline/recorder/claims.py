"""Attribute a change to an agent, by what clients reported before and after they ran a tool."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

from redline.core.records import dataclass, replace
from redline.recorder.ports import HookEvent, Moment

MAX_CLAIMS = 256
# The file system's clock runs in ticks, and a hook takes a moment to start.
SLACK_NS = 20_000_000
# How long before its report an edit may have begun that a client reports only afterwards.
_EDIT_NS = 3_000_000_000
# How long a tool run is considered: one whose end was not reported, and one that has ended.
_MAX_OPEN_NS = 3_600_000_000_000
_KEPT_NS = 120_000_000_000
# Tools that change no file themselves, by the names of all clients.
_READERS = frozenset(
    """
    Read Grep Glob LS WebFetch WebSearch TodoWrite Task Agent Skill AskUserQuestion ToolSearch
    BashOutput KillShell EnterPlanMode ExitPlanMode NotebookRead update_plan view_image read_file
    read_many_files list_directory glob search_file_content grep_search google_web_search
    web_fetch write_todos save_memory
    """.split()
)


class ChangeTime(NamedTuple):
    """When a change was made: at `at_ns`; a deletion, at some time between the two."""

    since_ns: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One run of a tool; `end_ns` is None while it goes on."""

    event: HookEvent
    start_ns: int
    end_ns: int | None = None

    def covers(self, path: str, when: ChangeTime) -> bool:
        """Return whether the run may have made a change of *path* at that time."""
        files = self.event.files
        since = when.at_ns
        if files:
            if path not in files:
                return False
            since = when.since_ns
        is_begun = when.at_ns >= self.start_ns - SLACK_NS
        return is_begun and (self.end_ns is None or since <= self.end_ns + SLACK_NS)


class Claims:
    """The tool runs that clients reported recently; safe to use from several threads."""

    def __init__(self) -> None:
        self._claims: list[Claim] = []
        # Announced calls of Redline's own tools that have not ended.
        self._own: list[HookEvent] = []
        self._lock = Lock()

    def note(self, event: HookEvent) -> None:
        """Take in what a client reported."""
        with self._lock:
            if _is_own(event):
                self._note_own(event)
            elif event.moment is Moment.BEFORE:
                if may_write(event):
                    self._claims.append(Claim(event, event.time_ns))
            elif event.moment is Moment.AFTER:
                self._close_call(event)
            else:
                self._claims = [self._end_if_open(claim, event) for claim in self._claims]
            self._drop_old(event.time_ns)

    def matching(self, path: str, when: ChangeTime) -> tuple[Claim, ...]:
        """Return the latest matching run of each session; empty when no run fits.

        A run that named the path as its target excludes the runs that named no files.
        """
        with self._lock:
            fitting = [claim for claim in self._claims if claim.covers(path, when)]
        fitting = [claim for claim in fitting if claim.event.files] or fitting
        newest: dict[tuple[str, str], Claim] = {}
        for claim in sorted(fitting, key=lambda claim: claim.start_ns):
            newest[claim.event.client, claim.event.session] = claim
        return tuple(newest.values())

    def session_of(self, call: HookEvent) -> str:
        """Return the session whose hook announced *call*, which a server received; "" if unclear.

        The client's id of the call decides; without one, its arguments and its session do.
        """
        with self._lock:
            seen = [event for event in self._own if _announces(event, call)]
        sessions = {event.session for event in seen}
        return sessions.pop() if len(sessions) == 1 else ""

    def _note_own(self, event: HookEvent) -> None:
        since = event.time_ns - _MAX_OPEN_NS
        kept = [
            seen
            for seen in self._own
            if seen.time_ns > since
            and not (seen.is_same_session(event) and _announces(seen, event))
        ]
        if event.moment is Moment.BEFORE:
            kept.append(event)
        self._own = kept[-MAX_CLAIMS:]

    def _close_call(self, event: HookEvent) -> None:
        for index in reversed(range(len(self._claims))):
            claim = self._claims[index]
            is_open = claim.end_ns is None and claim.event.is_same_session(event)
            if is_open and claim.event.is_same_call(event):
                self._claims[index] = replace(claim, end_ns=event.time_ns)
                return
        if event.files and may_write(event):
            self._claims.append(Claim(event, event.time_ns - _EDIT_NS, event.time_ns))

    def _end_if_open(self, claim: Claim, event: HookEvent) -> Claim:
        if claim.end_ns is None and claim.event.is_same_session(event):
            return replace(claim, end_ns=event.time_ns)
        return claim

    def _drop_old(self, now_ns: int) -> None:
        """Drop claims that are too old to explain a change that is not recorded yet."""
        kept = [claim for claim in self._claims if _still_counts(claim, now_ns)]
        self._claims = kept[-MAX_CLAIMS:]


def _still_counts(claim: Claim, now_ns: int) -> bool:
    if claim.end_ns is None:
        return claim.start_ns > now_ns - _MAX_OPEN_NS
    return claim.end_ns > now_ns - _KEPT_NS


def may_write(event: HookEvent) -> bool:
    """Return whether a tool may change files without Redline journalling the change itself."""
    return event.tool not in _READERS and not _is_own(event)


def _is_own(event: HookEvent) -> bool:
    return event.tool.startswith("mcp_") and "redline" in event.tool


def _announces(seen: HookEvent, call: HookEvent) -> bool:
    """Whether a hook announced this call. Clients prefix the tool's name with the server's."""
    if seen.client != call.client or not seen.tool.endswith(call.tool):
        return False
    if call.call and seen.call:
        return seen.call == call.call
    return seen.given == call.given and call.session in ("", seen.session)
