"""Any OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, LM Studio, llama.cpp."""

from __future__ import annotations

from typing import Any

from redline.adapters.models.base import Provider
from redline.adapters.models.retry import Transient, fail_for_status, reply_of
from redline.core.errors import ProviderFailed
from redline.core.extras import install_extra
from redline.core.ports.models import LlmReply, LlmRequest

DEFAULT_BASE = "https://api.openai.com/v1"


class OpenAiLlm(Provider):
    """Speaks /chat/completions with a JSON schema for the answer."""

    vendor = "openai"
    _plain = False

    @property
    def _address(self) -> str:
        return (self._base or DEFAULT_BASE).rstrip("/")

    def _open(self) -> Any:
        try:
            import httpx2
        except ModuleNotFoundError:
            raise ProviderFailed(
                "The httpx2 package is not installed", hint=install_extra("models")
            ) from None
        return httpx2.Client(follow_redirects=False)

    def _send(self, request: LlmRequest, timeout: float) -> LlmReply:
        import httpx2

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            answer = self._client.post(
                f"{self._address}/chat/completions",
                json=self._body(request),
                headers=headers,
                timeout=timeout,
            )
        except httpx2.TimeoutException:
            raise Transient("The provider did not answer in time", "timeout") from None
        except httpx2.HTTPError as error:
            raise Transient(f"The provider cannot be reached: {error}", "error") from None
        if answer.status_code == 400 and request.schema and not self._plain:
            # Some local servers do not know response schemas; the prompt asks for JSON as well.
            self._plain = "response_format" in answer.text or "json_schema" in answer.text
            if self._plain:
                return self._send(request, timeout)
        fail_for_status(answer.status_code, answer.headers, answer.text)
        return self._read(answer, request)

    def _body(self, request: LlmRequest) -> dict[str, Any]:
        limit = "max_completion_tokens" if self._address == DEFAULT_BASE else "max_tokens"
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            limit: request.max_tokens,
        }
        if request.schema is not None and not self._plain:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "proposal", "strict": True, "schema": request.schema},
            }
        return body

    def _read(self, answer: Any, request: LlmRequest) -> LlmReply:
        try:
            body = answer.json()
            choice = body["choices"][0]
            message = choice["message"]
        except (ValueError, KeyError, IndexError, TypeError):
            raise ProviderFailed("The provider's answer is malformed") from None
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise ProviderFailed("The model refused the request")
        if choice.get("finish_reason") == "length":
            raise ProviderFailed("The model's answer was cut off")
        text = message.get("content")
        if not isinstance(text, str):
            raise ProviderFailed("The provider's answer is malformed")
        return reply_of(text, request, str(body.get("model", "")))
