"""Google's Gemini models through their own SDK, an extra that is imported when first asked."""

from __future__ import annotations

from typing import Any

from redline.adapters.models.base import Provider
from redline.adapters.models.retry import Transient, fail_for_status, reply_of
from redline.core.errors import ProviderFailed
from redline.core.extras import install_extra
from redline.core.ports.models import LlmReply, LlmRequest

_REFUSALS = frozenset(
    ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE")
)


class GeminiLlm(Provider):
    """Asks for an answer in JSON that fits a schema."""

    vendor = "gemini"

    def _open(self) -> Any:
        try:
            from google import genai
        except ModuleNotFoundError:
            raise ProviderFailed(
                "The google-genai package is not installed", hint=install_extra("gemini")
            ) from None
        options: Any = {"retry_options": {"attempts": 1}}
        if self._base:
            options["base_url"] = self._base
        return genai.Client(api_key=self._key, http_options=options)

    def _send(self, request: LlmRequest, timeout: float) -> LlmReply:
        client = self._client
        from google.genai import errors

        config: dict[str, Any] = {
            "system_instruction": request.system,
            "max_output_tokens": request.max_tokens,
            "http_options": {"timeout": max(1, int(timeout * 1000))},
        }
        if request.schema is not None:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = request.schema
        try:
            answer = client.models.generate_content(
                model=self._model, contents=request.user, config=config
            )
        except errors.APIError as error:
            headers = getattr(getattr(error, "response", None), "headers", None) or {}
            fail_for_status(int(error.code or 500), headers, str(error))
            raise ProviderFailed("The provider's answer is malformed") from None
        except Exception as error:
            raise _unreachable(error) from None
        return self._read(answer, request)

    def _read(self, answer: Any, request: LlmRequest) -> LlmReply:
        feedback = getattr(answer, "prompt_feedback", None)
        if feedback is not None and getattr(feedback, "block_reason", None):
            raise ProviderFailed("The model refused the request")
        candidates = getattr(answer, "candidates", None)
        if not candidates:
            raise ProviderFailed("The provider's answer is malformed")
        reason = getattr(candidates[0].finish_reason, "name", str(candidates[0].finish_reason))
        if reason in _REFUSALS:
            raise ProviderFailed("The model refused the request")
        if reason == "MAX_TOKENS":
            raise ProviderFailed("The model's answer was cut off")
        parts = getattr(candidates[0].content, "parts", None) or []
        text = "".join(part.text or "" for part in parts)
        return reply_of(text, request, str(getattr(answer, "model_version", "") or ""))


def _unreachable(error: Exception) -> Exception:
    """The SDK lets its HTTP library's own exceptions through, whichever library that is."""
    name = type(error).__name__
    if "Timeout" in name:
        return Transient("The provider did not answer in time", "timeout")
    if "Connect" in name or "Protocol" in name or "Network" in name or "Read" in name:
        return Transient(f"The provider cannot be reached: {name}", "error")
    return ProviderFailed("The provider's answer is malformed")
