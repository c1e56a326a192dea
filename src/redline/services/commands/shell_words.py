"""A shell line as the simple commands it holds; enough to explain a refusal, not to run it."""

from __future__ import annotations

import re

from redline.core.records import dataclass, field

_OPERATOR = re.compile(r"\d*(?:<<<|<<-|<<|<>|>>|>\||&>>|&>|<&|>&|<|>)|&&|\|\||;;|\|&|[;&|()\n]")
_RESERVED = frozenset(
    """
    if then elif else fi for while until do done case esac in ! { } time
    """.split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


@dataclass(slots=True)
class Simple:
    """One simple command: its words, its redirections as (operator, target)."""

    words: list[str] = field(default_factory=list)
    redirections: list[tuple[str, str]] = field(default_factory=list)

    @property
    def reads_inline(self) -> bool:
        """Whether its input is written in the line itself."""
        return any(op.lstrip("0123456789").startswith("<<") for op, _ in self.redirections)


def split(line: str) -> list[Simple]:
    """The simple commands of *line*, bodies of here-documents left out."""
    commands = [Simple()]
    pending = ""
    bodies: list[str] = []
    position = 0
    while position < len(line):
        character = line[position]
        if character in " \t":
            position += 1
            continue
        if character == "#" and (position == 0 or line[position - 1] in " \t\n;&|("):
            position = _end_of_line(line, position)
            continue
        operator = _OPERATOR.match(line, position)
        if operator:
            position = operator.end()
            pending = _on_operator(operator[0], commands, pending)
            if operator[0] == "\n" and bodies:
                position = _skip_bodies(line, position, bodies)
            continue
        word, position = _word(line, position)
        if pending:
            commands[-1].redirections.append((pending, word))
            if pending.lstrip("0123456789") in ("<<", "<<-"):
                bodies.append(word)
            pending = ""
        else:
            commands[-1].words.append(word)
    return [made for made in map(_without_prefixes, commands) if made.words or made.redirections]


def _on_operator(operator: str, commands: list[Simple], pending: str) -> str:
    if "<" in operator or ">" in operator:
        return operator
    commands.append(Simple())
    return pending


def _end_of_line(line: str, position: int) -> int:
    found = line.find("\n", position)
    return len(line) if found < 0 else found


def _skip_bodies(line: str, position: int, bodies: list[str]) -> int:
    while bodies:
        mark = bodies.pop(0)
        while position < len(line):
            end = _end_of_line(line, position)
            text = line[position:end]
            position = min(len(line), end + 1)
            if text.lstrip("\t") == mark:
                break
    return position


def _word(line: str, position: int) -> tuple[str, int]:
    """One word with its quotes taken off, and where it ends."""
    text = ""
    while position < len(line):
        character = line[position]
        if character in " \t\n" or (character in "<>&|;()"):
            break
        if character == "\\":
            text += line[position + 1 : position + 2].replace("\n", "")
            position += 2
        elif character == "'":
            end = line.find("'", position + 1)
            end = len(line) if end < 0 else end
            text += line[position + 1 : end]
            position = end + 1
        elif character == '"':
            part, position = _double_quoted(line, position + 1)
            text += part
        else:
            text += character
            position += 1
    return text, position


def _double_quoted(line: str, position: int) -> tuple[str, int]:
    text = ""
    while position < len(line) and line[position] != '"':
        if line[position] == "\\" and line[position + 1 : position + 2] in ("$", "`", '"', "\\"):
            position += 1
        text += line[position : position + 1]
        position += 1
    return text, position + 1


def _without_prefixes(command: Simple) -> Simple:
    """Without reserved words and assignments in front."""
    words = command.words
    while words and (words[0] in _RESERVED or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    return Simple(words, command.redirections)
