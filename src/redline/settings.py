"""Flags, environment and config file become one validated value, read once."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a person can choose; every field has a default that works without set-up."""

    workspace: str = "."
    allow_write: tuple[str, ...] = ()
    allow_read: tuple[str, ...] = ()
    allow_any_root: bool = False
    state_dir: str | None = None
    history_days: float = 30.0
    history_size: int = 1 << 30
    tools: tuple[str, ...] = ("all",)
    read_only: bool = False
    tool_names: str = "auto"
    errors: str = "auto"
    protocol: str | None = None
    llm: str = "off"
    sessions: str = "memory"
    sandbox: str = "safe"
    strict_syntax: bool = False
    extra: dict[str, str] = field(default_factory=dict)
