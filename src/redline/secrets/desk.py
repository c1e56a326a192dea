"""The secrets of one workspace: what is known, what rules say, and the masks of each session."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.secrets.encoded import find_encoded
from redline.secrets.find import SURROGATE, FoundSecret, find, is_env_file, key_formats
from redline.secrets.known import KnownValues
from redline.secrets.masks import (
    DENIED,
    LITERAL,
    LOOKS_LIKE_MASK,
    MASK,
    OPEN,
    MaskSession,
    label_of,
    refuse_mask,
)
from redline.secrets.rules import SecretAction, SecretRule, strictest

if TYPE_CHECKING:
    from redline.core.ports.search import Grep
    from redline.core.ports.tree import PathResolver, Tree

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_OPEN_BYTES = OPEN.encode()
_RULES_SECONDS = 0.02
_MAX_CLEAN = 4096
_MAX_SESSIONS = 1000
_MAX_SURVEYED = 2000
_MAX_FILE = 8 << 20
# Larger content is decoded and looked through in parts, each with the end of the one before.
MAX_WINDOW = 1 << 18
_OVERLAP = 32 << 10
_MIN_SURVEY_SECONDS = 2.0
# A survey takes at most this share of the time.
_SURVEY_SHARE = 20
SHORTEST_SECRET = 6
_TOKEN_ENDS = str.maketrans(dict.fromkeys("\"'`,;=()[]{}<>|&@:/", " "))
_ENV_GLOBS = ("**/.env*", "**/*.env", "**/.npmrc", "**/.netrc", "**/.pypirc", "**/.pgpass",
              "**/credentials", "**/.git-credentials", "**/secret*.*", "**/*.tfvars",
              "**/*.pem", "**/*.key", "**/id_rsa*", "**/id_ed25519*")  # fmt: skip
_SURVEY_SKIPS = ("**/node_modules/**", "**/.git/**", "**/.venv/**", "**/site-packages/**")
_SURVEY_NAMED = (
    r"""(?i)(?:passw|passphrase|secret|token|[_-]?key|credential|_pwd|_pass)[\w.-]{0,40}["'`]?\]?"""
    r"""\s{0,8}(?:=>|:=|=|:|>)\s{0,8}[rbuf]{0,2}["'`]?[^\s"'`,;<>(){}]{12}|"""
    r"""://[^\s/:@]{0,64}:[^\s/@]{3,}@|PRIVATE KEY-----"""
)


class PersonsWord(NamedTuple):
    """The hashes of values that a person said are no secrets, and of the words of added ones."""

    taken_back: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()


class SecretMemory(Protocol):
    """What is remembered about the secrets of a workspace, outside of it; no value is kept."""

    @property
    def salt(self) -> bytes:
        """What hashes are made with."""

    def list_hashes(self) -> PersonsWord:
        """Return what a person said about values, as it is now."""

    def note_mask(self, mask: str, digest: str, found: FoundSecret, path: str) -> None:
        """Remember which mask was shown, so that a person can name it."""


class Decided(NamedTuple):
    """A secret in a text and what becomes of it."""

    found: FoundSecret
    value: str
    action: SecretAction


class Explained(NamedTuple):
    """Why a value is masked, or is not."""

    name: str
    action: str
    why: str


class SecretDesk:
    """Finds, masks and restores for every session; safe from any number of threads.

    *list_rules* returns the rules of the policy as they are now.
    """

    def __init__(
        self,
        memory: SecretMemory,
        list_rules: Callable[[], Sequence[SecretRule]],
        workspace: PathResolver,
        tree: Tree,
        open_grep: Callable[[], Grep],
    ) -> None:
        self.memory = memory
        self.workspace = workspace
        self._read_rules = list_rules
        self._rules: Sequence[SecretRule] = ()
        self._rules_read = 0.0
        self._has_path_rules = False
        self._tree = tree
        self._open_grep = open_grep
        self._lock = Lock()
        self._known = KnownValues()
        self._sessions: dict[str, MaskSession] = {}
        # What was decided about a value by the places that it was found at.
        self._actions: dict[str, SecretAction] = {}
        self._clean: set[tuple[object, ...]] = set()
        self._state: object = None
        self._survey_after = 0.0

    def session(self, name: str) -> MaskSession:
        """Return the masks of the session *name*; other processes give it the same ones."""
        with self._lock:
            if name not in self._sessions:
                if len(self._sessions) >= _MAX_SESSIONS:
                    self._sessions.pop(next(iter(self._sessions)))
                key = hmac.new(self.memory.salt, f"session {name}".encode(), hashlib.sha256)
                self._sessions[name] = MaskSession(key.digest())
            return self._sessions[name]

    def _list_rules(self) -> Sequence[SecretRule]:
        """Return the rules as they are; one call asks often, and reads the file once."""
        now = monotonic()
        if now - self._rules_read > _RULES_SECONDS:
            rules = self._read_rules()
            self._has_path_rules = any(rule.paths for rule in rules)
            self._rules, self._rules_read = rules, now
        return self._rules

    @property
    def has_path_rules(self) -> bool:
        """Whether a rule is about some files only."""
        self._list_rules()
        return self._has_path_rules

    @property
    def has_ask_rules(self) -> bool:
        """Whether a rule asks the person."""
        return any(rule.action is SecretAction.ASK for rule in self._list_rules())

    def learn(self, path: WorkspacePath, content: bytes) -> str:
        """Remember the secrets of a file, so that they are known wherever else they are.

        Return its text if it was found to have none, "" otherwise or if it is large.
        """
        shown = path.relative
        if self.is_clean(content, path=shown):
            return ""
        if len(content) > MAX_WINDOW and content[:2] not in _UTF_16:
            # Every part is to be learned, also after one that has a secret.
            if not sum(self._has_secret(part, shown)[0] for part in _windows(content)):
                self.note_clean(content, path=shown)
            return ""
        has_secret, text = self._has_secret(content, shown)
        if has_secret:
            return ""
        self.note_clean(content, path=shown)
        if not text.isascii():
            self.note_clean(text, path=shown)
        return text

    def _has_secret(self, content: bytes, path: str) -> tuple[bool, str]:
        """Learn the secrets of a file or a part of it; return whether it has any, and its text."""
        text = _decode(content)
        is_latin = len(text) == len(content) and not text.isascii()
        data = None if is_latin or content[:2] in _UTF_16 else content
        found = self._decide(text, path, data) or OPEN in text or self._known.find(text, data)
        return bool(found), text

    def decide(self, text: str, *, is_output: bool = False, path: str = "") -> list[Decided]:
        """Return the secrets of *text* in order, none overlapping another.

        *is_output*: it is what a command printed, in whatever encoding. *path* is the file that
        it comes from, if that is known.
        """
        if len(text) < SHORTEST_SECRET or self.is_clean(text, is_output=is_output, path=path):
            return []
        decided = self._decide(text, path)
        plain = text if text.isascii() else SURROGATE.sub("?", text)
        places = self._known.find(plain)
        if is_output:
            places += self._known.find(plain, encoded=True)
            places += find_encoded(plain, self._find_plain)
        for found in places:
            value = text[found.start : found.end]
            decided.append(Decided(found, value, self._action_of(found, value, path)))
        for match in LOOKS_LIKE_MASK.finditer(text) if OPEN in text else ():
            found = FoundSecret(match.start(), match.end(), "literal", LITERAL)
            decided.append(Decided(found, match.group(), SecretAction.MASK))
        if not decided:
            self.note_clean(text, is_output=is_output, path=path)
        return _without_overlaps(text, [d for d in decided if d.action is not SecretAction.ALLOW])

    def _find_plain(self, text: str) -> list[FoundSecret]:
        """Return what is secret in text that was encoded, whatever the file."""
        return [*find(text), *self._known.find(text)]

    def _decide(self, text: str, path: str, data: bytes | None = None) -> list[Decided]:
        places = find(text, path, data)
        for rule in self._list_rules():
            places += rule.find(text, path)
        for digest_of_word, start, end in self._find_added(text):
            places.append(FoundSecret(start, end, "added", f"ADDED_{digest_of_word[:4]}"))
        decided = []
        for found in places:
            value = text[found.start : found.end]
            action = self._action_of(found, value, path)
            decided.append(Decided(found, value, action))
            if action is not SecretAction.ALLOW:
                needle = value if found.near < 0 else text[found.near : found.end]
                self._known.add(value, needle, found.kind, found.name)
        return decided

    def _find_added(self, text: str) -> list[tuple[str, int, int]]:
        added = self.memory.list_hashes().added
        if not added:
            return []
        places = []
        for word in {w for w in self.split_words(text) if len(w) >= SHORTEST_SECRET}:
            digest = self.digest(word)
            if digest in added:
                places += [(digest, m.start(), m.end()) for m in re.finditer(re.escape(word), text)]
        return places

    @staticmethod
    def split_words(text: str) -> list[str]:
        """Return the parts of a text that added values are found by."""
        return text.translate(_TOKEN_ENDS).split()

    def _action_of(self, found: FoundSecret, value: str, path: str) -> SecretAction:
        """Return what becomes of a value: what rules say of it here, or of its other places."""
        if found.kind == "literal":
            return SecretAction.MASK
        if self.digest(value) in self.memory.list_hashes().taken_back:
            return SecretAction.ALLOW
        action = next((r.action for r in self._list_rules() if r.covers(found, path)), None)
        known = self._actions.get(value)
        if action is None:
            return known or SecretAction.MASK
        if path:
            # The strictest of all places decides, so that a copy elsewhere shows nothing.
            action = strictest((action, known))
            self._actions[value] = action
        return action

    def digest(self, value: str) -> str:
        """Return the salted hash under which a value is remembered."""
        given = value.encode("utf-8", "surrogatepass")
        return hmac.new(self.memory.salt, given, hashlib.sha256).hexdigest()

    def is_clean(self, text: str | bytes, *, is_output: bool = False, path: str = "") -> bool:
        """Return whether a text or the content of a file is known to have no secret."""
        state = self._known.generation, self._list_rules(), self.memory.list_hashes()
        if state != self._state:
            with self._lock:
                self._clean.clear()
                self._state = state
        return self._key_of(text, is_output, path) in self._clean

    def note_clean(self, text: str | bytes, *, is_output: bool = False, path: str = "") -> None:
        """Remember that a text or the content of a file has no secret."""
        if len(self._clean) >= _MAX_CLEAN:
            self._clean.clear()
        self._clean.add(self._key_of(text, is_output, path))

    def _key_of(self, text: str | bytes, is_output: bool, path: str) -> tuple[object, ...]:
        # A text of ASCII has the hash of its content.
        sort = str if text.isascii() else type(text)
        # Of a path all counts where a rule is about paths.
        kind = ""
        if path:
            kind = path if self.has_path_rules else "env" if is_env_file(path) else ""
        return hash(text), len(text), sort, is_output, kind

    def explain(self, path: WorkspacePath, content: bytes, line: int) -> list[Explained]:
        """Return what becomes of each secret of one line of a file, and why."""
        text = _decode(content)
        taken_back, rows = self.memory.list_hashes().taken_back, []
        for found, value, action in _without_overlaps(text, self._decide(text, path.relative)):
            if text.count("\n", 0, found.start) + 1 != line:
                continue
            rules = (r for r in self._list_rules() if r.covers(found, path.relative))
            rule = next(rules, None)
            why = f"found by {found.kind}"
            if self.digest(value) in taken_back:
                why += ", allowed by redline secrets allow"
            elif rule is not None:
                why += f", decided by {rule.name} in line {rule.line} of the policy"
            rows.append(Explained(label_of(found.name, found.kind), action.value, why))
        return rows

    def mask(
        self,
        text: str,
        session: MaskSession,
        *,
        is_output: bool = False,
        path: str = "",
        shown: frozenset[str] = frozenset(),
    ) -> str:
        """Return *text* with every secret masked, but for the values *shown*."""
        parts: list[str] = []
        done = 0
        for found, value, action in self.decide(text, is_output=is_output, path=path):
            if value in shown or (found.kind == "literal" and session.has_issued(value)):
                continue
            label = label_of(found.name, found.kind)
            if action is SecretAction.DENY:
                mask = f"{OPEN}{label}:{DENIED}»"
            else:
                mask, is_new = session.issue(value, label)
                if is_new:
                    self.memory.note_mask(mask, self.digest(value), found, path)
            parts += [text[done : found.start], mask]
            done = found.end
        return "".join([*parts, text[done:]]) if parts else text

    def check(self, change_set: ChangeSet, *_: object) -> None:
        """Refuse a change that would write a mask of any session; see `journal.store.Guard`."""
        for step in change_set.steps:
            if not isinstance(step, Change) or not isinstance(step.after, FileState):
                continue
            after = step.after.content or b""
            if _OPEN_BYTES not in after:
                continue
            before = step.before.content or b"" if isinstance(step.before, FileState) else b""
            for match in MASK.finditer(after.decode("utf-8", "replace")):
                is_known = any(each.has_issued(match.group()) for each in self._all_sessions())
                if is_known and match.group().encode() not in before:
                    raise refuse_mask(match.group(), "it was put together from parts")

    def _all_sessions(self) -> list[MaskSession]:
        with self._lock:
            return list(self._sessions.values())

    def reissue(self, session: MaskSession) -> None:
        """Learn every secret again, and issue its mask: another process may have shown it."""
        self.survey(force=True)
        for known in self._known.all():
            label = label_of(known.name, known.kind)
            if self._actions.get(known.value) is not SecretAction.DENY:
                session.issue(known.value, label)

    def survey(self, *, force: bool = False) -> None:
        """Learn the secrets of every file, if that was not done lately."""
        began = monotonic()
        if began < self._survey_after and not force:
            return
        from redline.core.ports.search import GrepQuery

        grep, tops = (
            self._open_grep(),
            [WorkspacePath(number, ()) for number in range(len(self.workspace.roots))],
        )
        formats = "|".join(
            re.escape(each) for rule in key_formats().rules for each in rule.literals
        )
        query = GrepQuery(
            f"{_SURVEY_NAMED}|{formats}", hidden=True, ignored=True, max_matches=20_000,
            exclude=_SURVEY_SKIPS, columns=False, counts=False, deadline=5.0, longest_line=64,
        )  # fmt: skip
        try:
            found = grep.search(tops, query, _Never())
            places = {line.place for line in found.lines}
            for top in tops:
                places.update(grep.files(top, _ENV_GLOBS, hidden=True, ignored=True))
            for place in sorted(places)[:_MAX_SURVEYED]:
                self.learn_file(place)
        except RedlineError:
            pass  # what could not be looked through is found in the answer itself
        took = monotonic() - began
        self._survey_after = monotonic() + max(_MIN_SURVEY_SECONDS, took * _SURVEY_SHARE)

    def learn_file(self, place: WorkspacePath) -> None:
        """Learn the secrets of one file, if it can be read."""
        try:
            content = self._tree.read(place, _MAX_FILE)
        except RedlineError:
            return
        self.learn(place, content)


class _Never:
    """A survey is bounded by its deadline and never cancelled."""

    def check(self) -> None:
        """Go on."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Forget *action*."""


def _windows(content: bytes) -> Iterator[bytes]:
    """Return large content in parts that overlap, cut between lines where these are short."""
    start = 0
    while True:
        stop = start + MAX_WINDOW
        if stop >= len(content):
            yield content[start:]
            return
        stop = content.rfind(b"\n", stop - _OVERLAP, stop) + 1 or _whole_char(content, stop)
        yield content[start:stop]
        start = stop - _OVERLAP
        start = content.find(b"\n", start - _OVERLAP, start) + 1 or _whole_char(content, start)


def _whole_char(content: bytes, at: int) -> int:
    """Return where the character of UTF-8 begins that *at* lies in."""
    return next((n for n in range(at, at - 4, -1) if content[n] & 0xC0 != 0x80), at)


def _decode(content: bytes) -> str:
    if content[:2] in _UTF_16:
        return content.decode("utf-16", "replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _without_overlaps(text: str, decided: list[Decided]) -> list[Decided]:
    """Return places in order; where two overlap, one that covers both takes their place."""
    kept: list[Decided] = []
    for each in sorted(decided, key=lambda d: (d.found.start, -d.found.end)):
        last = kept[-1] if kept else None
        if last is None or each.found.start >= last.found.end:
            kept.append(each)
        elif each.found.end > last.found.end:
            place = last.found._replace(end=each.found.end)
            value = text[place.start : place.end]
            kept[-1] = Decided(place, value, strictest((last.action, each.action)))
    return kept
