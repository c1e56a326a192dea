"""Models of several vendors: a provider with repeats and a time limit, opened by a setting."""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from redline.core.errors import InvalidArgument, ProviderFailed
from redline.core.extras import install_extra
from redline.core.ports.models import Llm, LlmReply, LlmRequest

ATTEMPTS = 4
FIRST_WAIT = 0.5
_STATUS_KINDS = {408: "timeout", 429: "rate_limit", 504: "timeout"}


class Transient(Exception):
    """A failure worth repeating; `retry_after` is how long the provider asked to wait."""

    def __init__(self, message: str, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


def _hint(failure: Transient) -> str | None:
    if failure.retry_after is not None:
        return f"The provider asks to wait {failure.retry_after:g} seconds"
    return None


def fail_for_status(status: int, headers: Mapping[str, str], said: str) -> None:
    """Raise for an HTTP status that is not a success."""
    if status < 400:
        return
    message = f"The provider answered {status}: {' '.join(said.split())[:200]}"
    if status in (408, 409, 429) or status >= 500:
        raise Transient(message, _STATUS_KINDS.get(status, "error"), retry_after(headers))
    hint = "check the API key" if status in (401, 403) else None
    raise ProviderFailed(message, kind="error", hint=hint)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how long the provider asks to wait, from milliseconds, seconds or a date."""
    lowered = {key.lower(): value for key, value in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = lowered.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * scale)
        except ValueError:
            try:
                until = parsedate_to_datetime(value).timestamp()
            except ValueError:
                continue
            return max(0.0, until - time.time())
    return None


def reply_of(text: str, request: LlmRequest, model: str) -> LlmReply:
    """The answer with its JSON parsed; prose stays without data, for the caller to repair."""
    if request.schema is None:
        return LlmReply(text, None, model)
    return LlmReply(text, _json_in(text), model)


def _json_in(text: str) -> Any:
    body = text.strip()
    if body.startswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        return json.loads(body)
    except ValueError:
        return None


class Provider(ABC):
    """Opens its client when first asked; a subclass sends one request and reads one answer."""

    vendor: str

    def __init__(
        self,
        model: str,
        base_url: str | None,
        key: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
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
        """Return the first good answer; ProviderFailed once time or attempts run out."""
        deadline = time.monotonic() + request.timeout
        wait = FIRST_WAIT
        for attempt in range(ATTEMPTS):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                return self._send(request, left)
            except Transient as failure:
                last = failure
            pause = last.retry_after if last.retry_after is not None else wait
            wait *= 2
            if attempt == ATTEMPTS - 1 or time.monotonic() + pause >= deadline:
                raise ProviderFailed(str(last), kind=last.kind, hint=_hint(last)) from None
            self._sleep(pause)
        raise ProviderFailed("The provider did not answer in time", kind="timeout")

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> Any:
        return self._open()

    @abstractmethod
    def _open(self) -> Any:
        """Return the vendor's client; ProviderFailed when its package is missing."""

    @abstractmethod
    def _send(self, request: LlmRequest, timeout: float) -> LlmReply:
        """Make one attempt; Transient when another is worth it."""


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


_LEGAL = (
    "use off, or a provider and a model: ollama:, lmstudio:, llamacpp:, openai:, anthropic: or "
    "gemini:, for example ollama:qwen3"
)
# Servers on this machine that speak the OpenAI protocol, at the address each of them starts with.
_LOCAL = {
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
}


def open_llm(setting: str, environ: Mapping[str, str] = os.environ) -> Llm | None:
    """Return the provider for `--llm`, or None; keys and addresses come from the environment."""
    if setting in ("", "off"):
        return None
    provider, _, model = setting.partition(":")
    if not model:
        raise InvalidArgument(f"No model given: {setting}", field="llm", hint=_LEGAL)
    base_url = environ.get("REDLINE_LLM_BASE_URL")
    if provider in _LOCAL:
        local = OpenAiLlm(model, base_url or _LOCAL[provider], "")
        local.vendor = provider
        return local
    if provider == "openai":
        key = environ.get("OPENAI_API_KEY", "")
        return OpenAiLlm(model, base_url or environ.get("OPENAI_BASE_URL"), key)
    if provider == "anthropic":
        key = environ.get("ANTHROPIC_API_KEY", "")
        return AnthropicLlm(model, base_url or environ.get("ANTHROPIC_BASE_URL"), key)
    if provider == "gemini":
        key = environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY", "")
        return GeminiLlm(model, base_url or environ.get("GOOGLE_GEMINI_BASE_URL"), key)
    raise InvalidArgument(f"Unknown provider: {provider}", field="llm", hint=_LEGAL)
