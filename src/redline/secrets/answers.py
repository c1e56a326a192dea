"""The two borders of a call: masks become values where it enters, values masks where it leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.secrets.desk import MAX_WINDOW, SHORTEST_SECRET, SecretDesk
from redline.secrets.find import has_secret_name, is_env_file
from redline.secrets.masks import MASK, holds_mask
from redline.secrets.rules import SecretAction

if TYPE_CHECKING:
    from redline.core.paths import WorkspacePath
    from redline.core.ports.search import GrepLine

_MAX_NOTED = 64 << 20
_LONG_LINE = 200
_NESTED = (dict, list, tuple)
# A shorter text is looked through at once.
_LONG = 2000
# What an answer says below the text of a file is no longer than this.
_MAX_TAIL = 400
_KEY_LINE = late_regex(r"[\s\"']*[A-Za-z0-9+/=]{40,80}(?:\\n)?[\"',]*\s*\Z")
_means_secret = lru_cache(256)(has_secret_name)
_IS_REGEX = ("regex", "isRegex")
# These have `$NAME` for a node of code, where `rewrite` is given.
_CODE = frozenset({"pattern", "rewrite"})
_TEMPLATES = frozenset({"new", "newText", "replacement"})
_MASK_IN_JSON = late_regex(
    r"(?:«|\\u00[aA][bB])(secret:[A-Za-z0-9_.-]{1,40}:(?:[0-9a-f]{8}|denied))(?:»|\\u00[bB][bB])"
)


class CallSecrets:
    """One call of the session *name*; its own files are looked through before it is answered."""

    def __init__(self, desk: SecretDesk, name: str, *, runs: bool = False) -> None:
        self._desk = desk
        self._session = desk.session(name)
        self._runs = runs
        self._noted: list[tuple[WorkspacePath, bytes]] = []
        self._noted_bytes = 0
        self._suspects: set[WorkspacePath] = set()
        self._masked: dict[str, str] = {}
        self._shown: frozenset[str] = frozenset()
        # The only file that was read: what a text of unknown origin is taken to come from.
        self._path = ""
        # The text of the last file that was read and has no secret, for what shows much of it.
        self._clean = ""

    def note_read(self, path: WorkspacePath, content: bytes) -> None:
        """Note a file that may be shown in part; a large one is not held until the answer."""
        if len(content) > MAX_WINDOW:
            self._desk.learn(path, content)
            return
        self._noted.append((path, content))
        self._noted_bytes += len(content)
        if self._noted_bytes > _MAX_NOTED:
            self._learn(0)

    def note_lines(self, lines: Sequence[GrepLine]) -> None:
        """Note the files of which a search shows a line that may be a part of a secret."""
        for line in lines:
            is_key = len(line.text) >= 40 and _KEY_LINE.match(line.text)
            if is_key or len(line.text) > _LONG_LINE or is_env_file(line.path):
                self._suspects.add(line.place)

    def _learn(self, answer_length: int) -> None:
        """Learn the secrets of what was read, but for a file that the answer shows as a whole."""
        noted, self._noted, self._noted_bytes = self._noted, [], 0
        for path, content in noted:
            is_whole = len(noted) == 1 and len(content) <= answer_length
            if not is_whole or is_env_file(path.relative) or self._desk.has_path_rules:
                self._clean = self._desk.learn(path, content)
        for path in self._suspects.difference(dict(noted)):
            self._desk.learn_file(path)
        self._suspects.clear()

    def restore(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return *arguments* with every mask replaced by its value; InvalidArgument."""
        texts = _texts_in(arguments, names=True)
        if not holds_mask("\0".join(texts)):
            return arguments
        if self._runs:
            raise InvalidArgument(
                "A command cannot carry a mask of a secret: the value would leave with it",
                hint="have the command read the value itself, as $NAME from its environment or"
                " from the file; nothing was run",
                details={"reason": "mask_in_command"},
            )
        masks = [match.group() for text in texts for match in MASK.finditer(text)]
        if not all(map(self._session.has_issued, masks)):
            self._desk.reissue(self._session)
        restored = self._restore(arguments, "", arguments)
        assert isinstance(restored, dict)
        return restored

    def restore_raw(self, raw: bytes) -> bytes:
        """Return a request, as the client wrote it, with every mask replaced by its value."""

        def put_back(match: re.Match[str]) -> str:
            return json.dumps(self._session.restore(f"«{match[1]}»"), ensure_ascii=False)[1:-1]

        return _MASK_IN_JSON.sub(put_back, raw.decode()).encode()

    def _restore(self, value: Any, key: str, siblings: dict[str, Any]) -> Any:
        if isinstance(value, str):
            if not holds_mask(value):
                return value
            in_regex = any(siblings.get(flag) is True for flag in _IS_REGEX)
            is_template = in_regex and key in _TEMPLATES
            is_regex = (in_regex and not is_template) or key == "regex"
            in_code = key in _CODE and "rewrite" in siblings
            return self._session.restore(
                value, in_regex=is_regex, in_template=is_template, in_code=in_code
            )
        if isinstance(value, list):
            return [self._restore(each, key, siblings) for each in value]
        if isinstance(value, dict):
            return {
                self._restore(name, "", {}): self._restore(each, name, value)
                for name, each in value.items()
            }
        return value

    def mask_text(self, text: str) -> str:
        """Return *text* with every secret masked."""
        if len(text) < SHORTEST_SECRET:
            return text
        if len(text) > _LONG and self._is_part_of_clean(text):
            return text
        masked = self._masked.get(text)
        if masked is None:
            masked = self._masked[text] = self._mask(text)
        return masked

    def _mask(self, text: str) -> str:
        if self._desk.is_clean(text, is_output=self._runs, path=self._path):
            self._clean = text
            return text
        head, middle, tail = self._split(text)
        parts = [
            self._desk.mask(
                part, self._session, is_output=self._runs, path=self._path, shown=self._shown
            )
            for part in (head, tail)
        ]
        # A part that is shown because a person or a rule allows it is not clean.
        if middle and all(
            not part or self._desk.is_clean(part, is_output=self._runs, path=self._path)
            for part in (head, tail)
        ):
            self._desk.note_clean(text, is_output=self._runs, path=self._path)
            self._clean = text
            return text
        return middle.join(parts)

    def _is_part_of_clean(self, text: str) -> bool:
        # Looked for by its beginning: preparing a search for a long text takes longer.
        at = self._clean.find(text[:_LONG_LINE])
        return at >= 0 and self._clean.startswith(text, at)

    def _split(self, text: str) -> tuple[str, str, str]:
        """Return a text in three parts of which the second is of a file without secrets."""
        start, end = text.find("\n") + 1, text.rfind("\n", 0, max(0, len(text) - _MAX_TAIL))
        if self._clean and end - start > _LONG:
            middle = text[start:end]
            if self._is_part_of_clean(middle):
                return text[:start], middle, text[end:]
        return text, "", ""

    def finish(self, answer: dict[str, Any], ask: Callable[[str], bool] | None) -> dict[str, Any]:
        """Return a whole answer masked; *ask* asks the person whether values may be shown."""
        self.look_through(answer)
        if ask is not None and self._desk.has_ask_rules:
            self._ask(answer, ask)
        masked = self.mask_json(answer)
        assert isinstance(masked, dict)
        return masked

    def look_through(self, answer: Any = None) -> None:
        """Learn what the call read before anything of it is shown."""
        if self._runs:
            self._desk.survey()
        paths = dict(self._noted)
        self._path = next(iter(paths)).relative if len(paths) == 1 else ""
        if paths or self._suspects:
            self._learn(sum(map(len, _texts_in(answer))) if paths else 0)

    def mask_json(self, value: Any) -> Any:
        """Return plain data with every secret in its texts masked."""
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, list | tuple):
            return [self.mask_json(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.get("type") in ("image", "audio"):
            return value
        masked = {}
        for name, each in value.items():
            if not isinstance(each, str):
                masked[name] = self.mask_json(each) if isinstance(each, _NESTED) else each
            elif isinstance(name, str) and _means_secret(name):
                masked[name] = self._mask_named(name, each)
            else:
                masked[name] = self.mask_text(each)
        return masked

    def _mask_named(self, name: str, text: str) -> str:
        # The name is apart from the value in data, where a text has both.
        whole = f"{name}={text}"
        masked = self.mask_text(whole)
        if masked != whole and masked.startswith(f"{name}="):
            return masked[len(name) + 1 :]
        return self.mask_text(text)

    def _ask(self, answer: Any, ask: Callable[[str], bool]) -> None:
        wanted: dict[str, str] = {}
        for text in _texts_in(answer):
            for found, value, action in self._desk.decide(text, path=self._path):
                if action is SecretAction.ASK:
                    wanted[value] = found.name or found.kind
        if wanted and ask(", ".join(sorted(set(wanted.values())))):
            self._shown = frozenset(wanted)


def _texts_in(value: Any, *, names: bool = False) -> list[str]:
    """Return every text in plain data; with *names* also those that fields are named by."""
    texts: list[str] = []
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, dict):
            rest += each.values()
            texts += each if names else ()
        elif isinstance(each, list | tuple):
            rest += each
    return texts
