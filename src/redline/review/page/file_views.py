"""One file: its history, and which change made each line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from redline.core.encodings.opening import open_text
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Operation
from redline.review.page.diffs.colours import colour_text
from redline.review.page.diffs.model import mask_lines
from redline.review.page.diffs.table import paint
from redline.review.page.layout import heading
from redline.review.page.markup import Html, address, join, link, tag
from redline.review.page.timeline import ChangeCounter, row
from redline.review.page.times import clock, long_time
from redline.services.history.lines import BlamedLine, blame, operations_on
from redline.services.names import display_name
from redline.services.runtime import Runtime

_MAX_LISTED = 200
_MAX_BLAMED = 5000
_FIRST = ' class="first"'


def resolve_file(runtime: Runtime, path: str) -> WorkspacePath:
    """Return the file that *path* names."""
    return runtime.workspace.resolve(path, Access.READ, follow=False)


def _views(path: str, view: str) -> Html:
    items = [
        link(address(f"/{name}", path=path), shown, aria_current="page" if name == view else None)
        for name, shown in (("file", "History"), ("blame", "Blame"))
    ]
    return tag("span", items, class_="links")


def history_view(runtime: Runtime, counter: ChangeCounter, path: str) -> Html:
    """Return the changes of a file, newest first, followed through renames."""
    place = resolve_file(runtime, path)
    found = list(islice(operations_on(runtime, place), _MAX_LISTED))
    name = display_name(runtime.workspace, place)
    rows = [row(runtime, counter, operation) for operation in found]
    return join(
        heading(name, _views(path, "file")),
        tag("ol", rows, class_="timeline dated", aria_label=f"Changes of {name}, newest first")
        if rows
        else tag("p", "No recorded change touches this file.", class_="empty"),
        tag("p", f"The latest {_MAX_LISTED} changes.", class_="empty")
        if len(found) == _MAX_LISTED
        else None,
    )


def blame_view(runtime: Runtime, path: str) -> Html:
    """Return the lines of a file, each beside the change that made it."""
    place = resolve_file(runtime, path)
    lines = blame(runtime, place)
    if open_text(b"".join(line.text for line in lines)).is_binary:
        return join(heading(path, _views(path, "blame")), tag("p", "This file is not text."))
    shown = lines[:_MAX_BLAMED]
    texts = [line.text.decode("utf-8", "surrogateescape") for line in shown]
    texts = list(mask_lines(texts, path, runtime.mask_for_person))
    colours = colour_text(runtime, path, texts, [(0, len(texts))])
    rows: list[str] = []
    for number, (maker, starts) in enumerate(_runs(shown), 1):
        content = paint(texts[number - 1].removesuffix("\n"), colours.get(number, ()), [])
        made_by = _maker(maker) if starts else ""
        rows.append(
            f'<tr{_FIRST if starts else ""}><td class="by">{made_by}</td>'
            f'<td data-n="{number}"></td><td>{content}</td></tr>'
        )
    more = len(lines) - len(shown)
    return join(
        heading(display_name(runtime.workspace, place), _views(path, "blame")),
        tag(
            "div",
            tag(
                "table",
                tag("caption", f"Lines of {path} and the changes that made them", class_="sr"),
                tag("tbody", Html("".join(rows))),
                class_="diff blame",
            ),
            class_="scroll file",
        ),
        tag("p", f"{more:,} more lines are not shown.", class_="empty") if more > 0 else None,
    )


def _runs(lines: list[BlamedLine]) -> Iterator[tuple[Operation | None, bool]]:
    """Yield the maker of each line, and whether a run of its lines starts there."""
    previous: object = ()
    for line in lines:
        ident = line.operation.id if line.operation else None
        yield line.operation, ident != previous
        previous = ident


def _maker(operation: Operation | None) -> Html:
    if operation is None:
        return tag("span", "before recording", class_="dim")
    origin = operation.origin
    return join(
        link(address(f"/change/{operation.id}"), operation.id,
             title=f"{origin.tool} {origin.summary}".strip()),
        " ",
        tag("span", origin.client.partition(" ")[0] or origin.tool),
        " ",
        tag("time", clock(operation.time), title=long_time(operation.time)),
    )  # fmt: skip
