"""What every provider's adapter is: a model with a name, asked with repeats, closed at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from time import sleep as real_sleep
from typing import Any

from redline.adapters.models.retry import ask_with_repeats
from redline.core.ports.models import LlmReply, LlmRequest


class Provider(ABC):
    """Opens its client when first asked; a subclass sends one request and reads one answer."""

    vendor: str

    def __init__(
        self,
        model: str,
        base_url: str | None,
        key: str,
        *,
        sleep: Callable[[float], None] = real_sleep,
    ) -> None:
        self._model = model
        self._base = base_url
        self._key = key
        self._sleep = sleep

    @property
    def name(self) -> str:
        """`provider:model`."""
        return f"{self.vendor}:{self._model}"

    def ask(self, request: LlmRequest) -> LlmReply:
        """Ask once, with repeats inside the time limit."""
        return ask_with_repeats(self._send, request, sleep=self._sleep)

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> Any:
        return self._open()

    @abstractmethod
    def _open(self) -> Any:
        """The vendor's client; ProviderFailed when its package is missing."""

    @abstractmethod
    def _send(self, request: LlmRequest, timeout: float) -> LlmReply:
        """One attempt; Transient when another is worth it."""
