"""Edit values in documents: every other byte stays, several files change together or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import ChangeSet, FileState
from redline.core.errors import DocumentError, IsADirectory, NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel
from redline.core.records import dataclass
from redline.core.wording import join_texts
from redline.documents.editing import DocEdit, Options, change_of
from redline.documents.isolated import apply_edits
from redline.plan.describe import Label
from redline.services.commit import Planned, commit_plan
from redline.services.documents.read import regex_test
from redline.services.runtime import Runtime


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """One file before and after the edits, and what is worth mentioning."""

    place: WorkspacePath
    name: str
    before: FileState
    after: bytes
    notes: tuple[str, ...]

    @property
    def source(self) -> bytes:
        """The bytes that the edits started from."""
        return self.before.content or b""

    @property
    def is_changed(self) -> bool:
        """Whether the edits made any difference."""
        return self.after != self.before.content


@dataclass(frozen=True, slots=True)
class EditedDocuments:
    """Every file of one call; `operation` is None for a dry run."""

    files: tuple[EditedDocument, ...]
    operation: Operation | None = None

    @property
    def changed(self) -> list[EditedDocument]:
        """The files that the edits made different."""
        return [file for file in self.files if file.is_changed]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth mentioning about the files and the commit."""
        committed = self.operation.notes if self.operation is not None else ()
        return (*(note for file in self.files for note in file.notes), *committed)

    @property
    def change_set(self) -> ChangeSet:
        """The changes of all files as one."""
        changes = ChangeSet()
        for file in self.changed:
            changes += change_of(file.place, file.before, file.after)
        return changes


def edit_documents(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    edits: Sequence[DocEdit],
    options: Options,
    label: Label,
    origin: Origin,
    cancel: Cancel,
) -> EditedDocuments:
    """Carry out all edits in every file as one operation; *label* names files in errors."""

    def plan() -> Planned[EditedDocuments]:
        planned = plan_edits(runtime, places, edits, options, label, cancel)
        return Planned(planned.change_set, planned)

    made = commit_plan(runtime.editor, plan, origin, cancel)
    return EditedDocuments(made.detail.files, made.operation)


def plan_edits(
    runtime: Runtime,
    places: Sequence[WorkspacePath],
    edits: Sequence[DocEdit],
    options: Options,
    label: Label,
    cancel: Cancel,
) -> EditedDocuments:
    """Return what `edit_documents` would do."""
    files: list[EditedDocument] = []
    for place in places:
        cancel.check()
        name = label(place)
        try:
            before = _require_file(runtime, place, name)
            test = regex_test(runtime.regex, cancel)
            source = before.content or b""
            done = apply_edits(runtime.confined, name, source, edits, options, test)
            files.append(EditedDocument(place, name, before, done.after, done.notes))
        except DocumentError as error:
            if len(places) > 1:
                error.details.setdefault("file", name)
                error.message = join_texts(error.message_text, f" (in {name}; nothing was changed)")
            raise
    return EditedDocuments(tuple(files))


def _require_file(runtime: Runtime, place: WorkspacePath, name: str) -> FileState:
    before = runtime.tree.state(place)
    if not isinstance(before, FileState):
        raise NotFound(name) if runtime.tree.stat(place) is None else IsADirectory(name)
    return before
