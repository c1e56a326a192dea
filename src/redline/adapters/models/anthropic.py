"""Anthropic's models through their own SDK, an extra that is imported when first asked."""

from __future__ import annotations

import json
from typing import Any

from redline.adapters.models.base import Provider
from redline.adapters.models.retry import Transient, fail_for_status
from redline.core.errors import ProviderFailed
from redline.core.extras import install_extra
from redline.core.ports.models import LlmReply, LlmRequest

_TOOL = "propose"


class AnthropicLlm(Provider):
    """Asks for the answer as the input of a tool the model must call."""

    vendor = "anthropic"

    def _open(self) -> Any:
        try:
            import anthropic
        except ModuleNotFoundError:
            raise ProviderFailed(
                "The anthropic package is not installed", hint=install_extra("anthropic")
            ) from None
        options: dict[str, Any] = {"api_key": self._key, "max_retries": 0}
        if self._base:
            options["base_url"] = self._base
        return anthropic.Anthropic(**options)

    def _send(self, request: LlmRequest, timeout: float) -> LlmReply:
        client = self._client
        import anthropic

        options: dict[str, Any] = {}
        if request.schema is not None:
            tool = {"name": _TOOL, "description": "Give the answer", "input_schema": request.schema}
            options = {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        try:
            message = client.messages.create(
                model=self._model,
                max_tokens=request.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.user}],
                timeout=timeout,
                **options,
            )
        except anthropic.APITimeoutError:
            raise Transient("The provider did not answer in time", "timeout") from None
        except anthropic.APIConnectionError as error:
            raise Transient(f"The provider cannot be reached: {error}", "error") from None
        except anthropic.APIStatusError as error:
            said = error.response.text
            fail_for_status(error.status_code, error.response.headers, said)
            raise ProviderFailed("The provider's answer is malformed") from None
        except (anthropic.APIError, ValueError, TypeError, AttributeError):
            raise ProviderFailed("The provider's answer is malformed") from None
        return self._read(message)

    def _read(self, message: Any) -> LlmReply:
        reason = getattr(message, "stop_reason", None)
        blocks = getattr(message, "content", None)
        if not isinstance(blocks, list):
            raise ProviderFailed("The provider's answer is malformed")
        if reason == "refusal":
            raise ProviderFailed("The model refused the request")
        if reason == "max_tokens":
            raise ProviderFailed("The model's answer was cut off")
        for block in blocks:
            if getattr(block, "type", "") == "tool_use" and isinstance(block.input, dict):
                return LlmReply(json.dumps(block.input), block.input, str(message.model))
        text = "".join(getattr(block, "text", "") or "" for block in blocks)
        return LlmReply(text, None, str(getattr(message, "model", "")))
