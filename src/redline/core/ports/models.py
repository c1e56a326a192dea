"""Asking a language model."""

from __future__ import annotations

from typing import Any, Protocol

from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One question to a model; `schema` asks for JSON that fits it, else plain text."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    max_tokens: int = 4096
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class LlmReply:
    """What the model said: `text` raw, `data` parsed where a schema was given."""

    text: str
    data: Any = None
    model: str = ""


class Llm(Protocol):
    """A configured model provider. Raises ProviderFailed."""

    @property
    def name(self) -> str:
        """`provider:model`, for cache keys and messages."""

    def ask(self, request: LlmRequest) -> LlmReply:
        """Ask once, with retries inside the time limit."""
