"""Read and check the arguments of `edit_file`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.records import dataclass
from redline.toolsets.ai_code_editing.edit.instruction import deletes_given, fenced_block

INSERT, DELETE = "insert", "delete"


@dataclass(frozen=True, slots=True)
class EditRequest:
    """The arguments of an edit; `edit_type` is None if the instruction must determine it."""

    file: str
    instruction: str
    first: int | None
    last: int | None
    block: str | None
    edit_type: str | None
    symbol: str | None
    expected_text: str | None
    expected_hash: str | None
    create: bool

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> EditRequest:
        """Read *arguments*; raise InvalidArgument if they contradict each other."""
        instruction, fenced = fenced_block(arguments["edit_instruction"])
        block = arguments.get("code_block")
        block = fenced if block is None else block
        first, last = _lines(arguments.get("start_line"), arguments.get("end_line"))
        edit_type, symbol = arguments.get("edit_type"), arguments.get("symbol") or None
        has_target = first is not None or symbol is not None
        if edit_type is None and block is None and has_target and deletes_given(instruction):
            edit_type = DELETE
        request = cls(
            file=arguments["target_file"],
            instruction=instruction,
            first=first,
            last=last,
            block=None if edit_type == DELETE and not block else block,
            edit_type=edit_type,
            symbol=symbol,
            expected_text=arguments.get("expected_text") or None,
            expected_hash=arguments.get("expected_hash") or None,
            create=bool(arguments.get("create")),
        )
        _check(request)
        return request


def _lines(first: int | None, last: int | None) -> tuple[int | None, int | None]:
    if first is None and last is not None:
        raise InvalidArgument("end_line needs start_line", field="start_line")
    if first is None:
        return None, None
    last = first if last is None else last
    if last < first:
        raise InvalidArgument(
            f"end_line is before start_line: {first}-{last}",
            field="end_line",
            hint="lines are 1-indexed and end_line is included",
        )
    return first, last


def _check(request: EditRequest) -> None:
    if not request.file.strip():
        raise InvalidArgument("target_file is empty", field="target_file")
    if request.symbol and request.first is not None:
        raise InvalidArgument(
            "symbol and start_line both say where", field="symbol", hint="pass one of them"
        )
    if request.edit_type == DELETE and request.block:
        raise InvalidArgument(
            "A delete takes no code_block", field="code_block", hint="use edit_type replace"
        )
