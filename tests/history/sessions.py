"""Sessions of agents with several turns, a person working beside, and a reference tree.

    python -m tests.history.sessions [SESSIONS] [SEED]

Agents speak by the recorded payloads of the real clients and edit as their own tools do, or with
Redline's; a person writes into the same files, makes files and undoes. The reference is a plain
dictionary of what each wrote where, and pictures of the folder. It must hold that

- the history's files at each `@prompt` are those that were in the folder then,
- rewinding to a prompt takes back what its session wrote since, and nothing else,
- undo of one turn takes back only that turn,
- one redo gives the folder back as it was.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, State
from redline.core.errors import UndoBlocked
from redline.core.paths import Access
from redline.core.ports.history import Direction, Operation, Origin
from redline.recorder.adapters.hook_listener import read_event
from redline.recorder.adapters.hook_program import describe
from redline.recorder.ports import Moment
from redline.services.history.lines import states_at
from redline.services.history.references import find_point
from redline.services.history.revert import Wish, revert
from redline.services.history.turns import Turn, list_turns
from tests.recorder.adapters.hook_runs import CLIENTS, payloads
from tests.recorder.desk import Desk

# Lines between two that are written, so that no undo touches the other's.
_APART = 3
_SHARED = 4
PERSON = "person"
Slot = tuple[str, int]
_BY_HAND = Origin("undo", "command line", session="terminal")


@dataclass
class Verdict:
    """What was tried, and what came out wrong."""

    sessions: int = 0
    prompts: int = 0
    rewinds: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass
class Agent:
    """One session of one client."""

    client: str
    session: str
    owner: int
    uses_redline: bool
    prompts: list[int] = field(default_factory=list)


class Tree:
    """The reference: what each line and file holds, and the value that each writer replaced."""

    def __init__(self) -> None:
        self.slots: dict[Slot, list[tuple[int, str, str]]] = {}
        self.made: dict[str, list[tuple[int, str, str | None]]] = {}

    def write(self, when: int, who: str, slot: Slot, value: str) -> None:
        self.slots.setdefault(slot, [(-1, "", "empty")]).append((when, who, value))

    def make(self, when: int, who: str, name: str, content: str | None) -> None:
        self.made.setdefault(name, [(-1, "", None)]).append((when, who, content))

    def forget(self, who: str, since: int, until: int = 1 << 60) -> None:
        """Drop what *who* did from one moment to another."""
        for told in (*self.slots.values(), *self.made.values()):
            told[:] = [each for each in told if each[1] != who or not since <= each[0] < until]

    def has_overwritten(self, who: str, since: int, until: int) -> bool:
        """Whether *who* itself wrote later what it changed in a time."""
        for told in (*self.slots.values(), *self.made.values()):
            then = [each[2] for each in told if each[0] < since][-1:]
            left = [each[2] for each in told if each[0] < until][-1:]
            is_later = any(each[0] >= until and each[1] == who for each in told)
            if then not in (left, [told[-1][2]]) and is_later:
                return True
        return False

    def files(self) -> dict[str, str]:
        found = {name: told[-1][2] for name, told in self.made.items()}
        for number in range(_SHARED):
            lines = []
            for owner in range(4):
                told = self.slots.get((f"shared{number}.txt", owner), [(-1, "", "empty")])
                lines += [f"{owner}: {told[-1][2]}", *["between"] * _APART]
            found[f"shared{number}.txt"] = "\n".join(lines) + "\n"
        return {name: content for name, content in found.items() if content is not None}


class Desks:
    """Two or three agents and a person in one workspace."""

    def __init__(self, base: Path, seed: int, verdict: Verdict) -> None:
        self.random = random.Random(seed)
        self.desk = Desk(base)
        self.tree = Tree()
        self.verdict = verdict
        self.clock = 0
        self.at_prompt: dict[str, dict[str, str]] = {}
        self._write_all()
        self.desk.start()
        self.desk.settle()
        clients = self.random.choices(CLIENTS, k=2)
        self.agents = [
            Agent(
                client, f"{client}-{seed}-{owner}", owner, uses_redline=self.random.random() < 0.3
            )
            for owner, client in enumerate(clients)
        ]

    def work(self) -> None:
        for _ in range(self.random.randint(2, 3)):
            for agent in self.agents:
                self._prompt(agent)
                for _ in range(self.random.randint(0, 3)):
                    self._agent_acts(agent)
                    if self.random.random() < 0.6:
                        self._person_acts()
        self.desk.settle()
        self.verdict.sessions += len(self.agents)

    def judge(self) -> None:
        """Compare each prompt's state, then go back to one and undo a turn."""
        redline = self.desk.redline
        turns = [turn for turn in list_turns(redline.history) if turn.prompt]
        if len(turns) != sum(len(agent.prompts) for agent in self.agents):
            self._note("prompts are missing")
        now = self._picture()
        for back, turn in enumerate(reversed(turns)):
            self.verdict.prompts += 1
            text = f"@prompt-{back}" if back else "@prompt"
            point = find_point(redline.history, text, inclusive=False)
            then = dict(now)
            for path, state in states_at(redline, point).items():
                self._put(then, path.relative, state)
            if then != self.at_prompt[turn.words]:
                self._note(f"{text} differs from what was there")
        agent = self.random.choice(self.agents)
        number = self.random.randrange(len(agent.prompts))
        is_last = self.random.random() < 0.7
        ends = agent.prompts[number + 1] if number + 1 < len(agent.prompts) else self.clock + 1
        self._take_back(turns, agent, number, None if is_last else ends)
        self.desk.close()

    def _take_back(self, turns: list[Turn], agent: Agent, number: int, until: int | None) -> None:
        redline, before = self.desk.redline, self._picture()
        words = f"{agent.session} prompt {number}"
        back = next(n for n, turn in enumerate(reversed(turns)) if turn.words == words)
        name = f"@prompt-{back}"
        wish = Wish(Direction.UNDO, to=name) if until is None else Wish(Direction.UNDO, turn=name)
        since = agent.prompts[number]
        is_blocked = until is not None and self.tree.has_overwritten(agent.session, since, until)
        if not is_blocked:
            self.tree.forget(agent.session, since, until or 1 << 60)
        expected = self.tree.files()
        if expected == before and not is_blocked:
            return
        self.verdict.rewinds += 1
        if is_blocked:
            with contextlib.suppress(UndoBlocked):
                revert(redline, wish, _BY_HAND)
                self._note(f"{wish.summary} of {words} took away what came later")
            if self._picture() != before:
                self._note(f"{wish.summary} of {words} is refused and left something else")
            return
        done = revert(redline, wish, _BY_HAND)
        if self._picture() != expected:
            self._note(f"{wish.summary} of {words} left something else")
        redline.editor.redo(done.id, Origin("redo"))
        if self._picture() != before:
            self._note(f"redo of {wish.summary} left something else")

    # -- what they do -------------------------------------------------------------------------

    def _prompt(self, agent: Agent) -> None:
        self._tick()
        words = f"{agent.session} prompt {len(agent.prompts)}"
        agent.prompts.append(self.clock)
        event = read_event(self._said(agent, "prompt", prompt=words), time.time_ns())
        assert event is not None
        assert (event.moment, event.words) == (Moment.PROMPT, words)
        self.desk.claims.note(event)
        self.at_prompt[words] = self._picture()
        # What the recording session does with a prompt, in the same order.
        self.desk.recorder.settle(None, time.time_ns())
        self.desk.recorder.note_prompt(event)

    def _agent_acts(self, agent: Agent) -> None:
        self._tick()
        # A model takes longer to begin than the recorder waits; a prompt does not.
        self.desk.settle()
        slot = (f"shared{self.random.randrange(_SHARED)}.txt", agent.owner)
        own = f"made-{agent.session}-{self.random.randrange(3)}.txt"
        if self.random.random() < 0.3:
            there = self.tree.files().get(own)
            gone = there is not None and self.random.random() < 0.3
            self.tree.make(self.clock, agent.session, own, None if gone else f"by {self.clock}\n")
            name = own
        else:
            self.tree.write(self.clock, agent.session, slot, f"by {self.clock}")
            name = slot[0]
        content = self.tree.files().get(name)
        if agent.uses_redline and content is not None:
            self._edit_with_redline(agent, name, content)
            return
        self._tell(agent, "before_shell")
        self._to_disk(name)
        self._tell(agent, "after_shell")
        self._settle(name)

    def _person_acts(self) -> None:
        self._tick()
        if self.random.random() < 0.3:
            name = f"person-{self.random.randrange(3)}.txt"
            self.tree.make(self.clock, PERSON, name, f"by hand {self.clock}\n")
        else:
            name = f"shared{self.random.randrange(_SHARED)}.txt"
            self.tree.write(self.clock, PERSON, (name, 3), f"by hand {self.clock}")
        self._to_disk(name)
        if self.random.random() < 0.7:  # else the next prompt finds it
            self._settle(name)

    def _edit_with_redline(self, agent: Agent, name: str, content: str) -> None:
        """Edit as the client's connection to Redline does, whose session is another one."""
        redline = self.desk.redline
        event = read_event(self._said(agent, "before_own"), time.time_ns())
        assert event is not None
        self.desk.claims.note(event)
        call = replace(event, moment=Moment.CALL, tool="edit_file", session="")
        told_of = self.desk.claims.session_of(call)
        self.desk.claims.note(replace(event, moment=Moment.AFTER))
        path = redline.workspace.resolve(name, Access.WRITE)
        change = Change(path, redline.tree.state(path), FileState.of(content.encode()))
        origin = Origin("edit", f"{agent.client} 1.0", session=f"connection-{agent.owner}")
        origin = replace(origin, hook_session=told_of)
        redline.editor.commit(ChangeSet((change,)), origin)

    # -- the folder ---------------------------------------------------------------------------

    def _tick(self) -> None:
        self.clock += 1

    def _said(self, agent: Agent, name: str, **more: str) -> bytes:
        sent = payloads(agent.client, self.desk.root)[name] | more
        sent |= {key: agent.session for key in ("session_id", "conversation_id") if key in sent}
        message = describe(agent.client, sent, time.time_ns())
        return json.dumps(message).encode()

    def _tell(self, agent: Agent, name: str) -> None:
        event = read_event(self._said(agent, name), time.time_ns())
        assert event is not None
        self.desk.claims.note(event)
        time.sleep(0.021)  # the slack of a claim: a person is not as quick

    def _settle(self, name: str) -> list[Operation]:
        return self.desk.settle(name)

    def _to_disk(self, name: str) -> None:
        content = self.tree.files().get(name)
        if content is None:
            (self.desk.root / name).unlink(missing_ok=True)
        else:
            self.desk.write(name, content.encode())

    def _write_all(self) -> None:
        for name in self.tree.files():
            self._to_disk(name)

    def _picture(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.desk.root.iterdir()}

    def _put(self, files: dict[str, str], name: str, state: State) -> None:
        if state == ABSENT:
            files.pop(name, None)
            return
        assert isinstance(state, FileState)
        loaded = self.desk.redline.history.load_content(state)
        files[name] = (loaded.content or b"").decode()

    def _note(self, text: str) -> None:
        self.verdict.wrong.append(f"{self.desk.base}: {text}")


def judge(sessions: int, seed: int) -> Verdict:
    """Generate so many sessions, and return what came out."""
    verdict = Verdict()
    while verdict.sessions < sessions:
        with tempfile.TemporaryDirectory(prefix=f"sessions-{seed}-") as base:
            desks = Desks(Path(base), seed, verdict)
            desks.work()
            desks.judge()
        seed += 1
    return verdict


if __name__ == "__main__":
    found = judge(*(int(each) for each in [*sys.argv[1:], *["500", "1"][len(sys.argv) - 1 :]]))
    print(f"{found.sessions} sessions, {found.prompts} prompts, {found.rewinds} taken back")
    print("\n".join(found.wrong) or "0 wrong")
    sys.exit(bool(found.wrong))
