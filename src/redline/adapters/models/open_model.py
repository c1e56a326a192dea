"""The model provider that a setting names: off, ollama:MODEL, openai:MODEL and so on."""

from __future__ import annotations

import os
from collections.abc import Mapping

from redline.core.errors import InvalidArgument
from redline.core.ports.models import Llm

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
    """The provider for `--llm`, or None; keys and addresses come from the environment."""
    if setting in ("", "off"):
        return None
    provider, _, model = setting.partition(":")
    if not model:
        raise InvalidArgument(f"No model given: {setting}", field="llm", hint=_LEGAL)
    base_url = environ.get("REDLINE_LLM_BASE_URL")
    if provider in _LOCAL:
        from redline.adapters.models.openai import OpenAiLlm

        local = OpenAiLlm(model, base_url or _LOCAL[provider], "")
        local.vendor = provider
        return local
    if provider == "openai":
        from redline.adapters.models.openai import OpenAiLlm

        key = environ.get("OPENAI_API_KEY", "")
        return OpenAiLlm(model, base_url or environ.get("OPENAI_BASE_URL"), key)
    if provider == "anthropic":
        from redline.adapters.models.anthropic import AnthropicLlm

        key = environ.get("ANTHROPIC_API_KEY", "")
        return AnthropicLlm(model, base_url or environ.get("ANTHROPIC_BASE_URL"), key)
    if provider == "gemini":
        from redline.adapters.models.gemini import GeminiLlm

        key = environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY", "")
        return GeminiLlm(model, base_url or environ.get("GOOGLE_GEMINI_BASE_URL"), key)
    raise InvalidArgument(f"Unknown provider: {provider}", field="llm", hint=_LEGAL)
