"""Ask a configured model for code: one fenced block, applied like any other code block."""

from __future__ import annotations

from redline.core.errors import ProviderFailed
from redline.core.ports.models import Llm, LlmRequest
from redline.core.textfile import line_body, split_lines
from redline.toolsets.ai_code_editing.edit.instruction import fenced_block
from redline.toolsets.ai_code_editing.edit.request import EditRequest
from redline.toolsets.ai_code_editing.edit.source import FileUnderEdit

_SYSTEM = (
    "You write code for an editor. Answer with exactly one fenced code block and nothing else: the "
    "code that is to be put in place, with the indentation it has in the file. Do not repeat lines "
    "that stay as they are outside the range, do not add placeholders or stubs."
)
_MAX_SHOWN_LINES = 400


def generate_block(llm: Llm, source: FileUnderEdit, request: EditRequest) -> str:
    """Return the code that the model writes; raise ProviderFailed if it is not one block."""
    reply = llm.ask(LlmRequest(system=_SYSTEM, user=_question(source, request)))
    _, block = fenced_block(reply.text)
    if block is None:
        raise ProviderFailed(
            f"The provider did not answer with one code block: {llm.name}",
            hint="pass code_block, or repeat the call",
        )
    return block


def _question(source: FileUnderEdit, request: EditRequest) -> str:
    lines = source.lines
    first, last = request.first or 1, request.last or len(lines)
    start = max(0, min(first, len(lines)) - 1 - _MAX_SHOWN_LINES // 2)
    shown = "".join(
        f"{number}: {line_body(line)}\n"
        for number, line in enumerate(lines[start : start + _MAX_SHOWN_LINES], start + 1)
    )
    where = f"Replace lines {first}-{last}." if request.first else "Write the code to insert."
    if request.symbol:
        where = f"Write the new {request.symbol}."
    language = source.language.name if source.language else "plain text"
    kept = "\n".join(part for part in split_lines(request.instruction) if part.strip())
    return f"File: {request.file} ({language})\n{where}\nTask: {kept}\n\nThe file:\n{shown}"
