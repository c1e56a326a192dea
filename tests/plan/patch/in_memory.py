"""Patches planned against files in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.core.changes import ABSENT, DirState, FileState, LinkState, Rename, State
from redline.core.errors import NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Entry, Kind
from redline.plan.patch.apply import PatchPlan, plan_patch
from redline.plan.patch.parse import parse_patch


def place_at(raw: str) -> WorkspacePath:
    """The place *raw* names in the one root."""
    return WorkspacePath(0, tuple(raw.split("/")))


@dataclass
class MemoryTree:
    """Files in a dict; enough of ports.Tree for planning."""

    files: dict[str, bytes]
    links: dict[str, str] = field(default_factory=dict)

    def state(self, path: WorkspacePath) -> State:
        name = path.relative
        if name in self.files:
            return FileState.of(self.files[name], 0o644)
        if name in self.links:
            return LinkState(self.links[name])
        if any(file.startswith(name + "/") for file in self.files):
            return DirState(0o755)
        return ABSENT

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        del limit
        if path.relative not in self.files:
            raise NotFound(path.relative)
        return self.files[path.relative]

    def stat(self, path: WorkspacePath) -> Entry | None:
        state = self.state(path)
        return None if state == ABSENT else Entry(path, Kind.FILE, 0, 0, 0)


def plan_text(files: dict[str, bytes], text: str, **options: dict[str, str]) -> PatchPlan:
    """The plan for the patch *text*."""
    tree = MemoryTree(files)
    return plan_patch(tree, parse_patch(text), place_at, **options)  # type: ignore[arg-type]


def patched(files: dict[str, bytes], text: str) -> dict[str, bytes]:
    """The files after the steps of the plan for the patch *text* were carried out one by one."""
    now = dict(files)
    for step in plan_text(files, text).change_set.steps:
        if isinstance(step, Rename):
            now[step.target.relative] = now.pop(step.source.relative)
        elif isinstance(step.after, FileState):
            if isinstance(step.before, FileState):
                assert now[step.path.relative] == step.before.content
            now[step.path.relative] = step.after.content or b""
        elif step.after == ABSENT:
            del now[step.path.relative]
    return now
