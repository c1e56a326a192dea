"""Every provider against a local server that speaks its wire format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from redline.adapters.models import AnthropicLlm, GeminiLlm, OpenAiLlm, open_llm
from redline.core.errors import InvalidArgument, ProviderFailed
from redline.core.ports.models import LlmRequest
from tests.adapters.models.stub import CAPTURED, Stub, prose, refused, stub, success, truncated

SCHEMA = CAPTURED["requests"]["openai"]["body"]["response_format"]["json_schema"]["schema"]
REQUEST = LlmRequest("S", "U", SCHEMA, max_tokens=64, timeout=5.0)


@pytest.fixture
def server() -> Iterator[Stub]:
    with stub() as running:
        yield running


@pytest.fixture(params=["openai", "anthropic", "gemini"])
def provider(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name == "anthropic":
        pytest.importorskip("anthropic")
    if name == "gemini":
        pytest.importorskip("google.genai")
    return name


class Sleeps(list[float]):
    """Remembers how long it was asked to wait, and does not."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture
def llm(provider: str, server: Stub, sleeps: Sleeps) -> Iterator[Any]:
    made: Any
    if provider == "openai":
        made = OpenAiLlm("m-1", server.url + "/v1", "k", sleep=sleeps)
    elif provider == "anthropic":
        made = AnthropicLlm("m-1", server.url, "k", sleep=sleeps)
    else:
        made = GeminiLlm("m-1", server.url, "k", sleep=sleeps)
    yield made
    made.close()


@pytest.mark.requirement("json-providers")
def test_a_question_goes_out_as_the_vendors_sdk_sends_it(
    llm: Any, server: Stub, provider: str
) -> None:
    server.answer(success(provider, {"status": "ok"}))
    reply = llm.ask(REQUEST)
    assert reply.data == {"status": "ok"}
    assert llm.name == f"{provider}:m-1"
    [sent] = server.requests
    captured = CAPTURED["requests"][provider]
    assert sent["path"] == captured["path"]
    for name, value in captured["headers"].items():
        if name != "accept":
            assert sent["headers"][name] == value, name
    expected = dict(captured["body"])
    if provider == "openai":
        # An address other than OpenAI's own gets the older name of the limit.
        expected["max_tokens"] = expected.pop("max_completion_tokens")
    if provider == "anthropic":
        expected["tools"] = [{**expected["tools"][0], "description": "Give the answer"}]
    assert sent["body"] == expected


@pytest.mark.requirement("json-llm-rate-limit")
def test_a_rate_limit_is_waited_out_as_long_as_the_provider_asks(
    llm: Any, server: Stub, provider: str, sleeps: Sleeps
) -> None:
    server.answer({"error": {"message": "slow down"}}, 429, retry_after="2")
    server.answer(success(provider, {"status": "ok"}))
    assert llm.ask(REQUEST).data == {"status": "ok"}
    assert sleeps == [2.0]


@pytest.mark.requirement("json-llm-rate-limit")
def test_a_rate_limit_longer_than_the_time_left_is_reported(
    llm: Any, server: Stub, sleeps: Sleeps
) -> None:
    server.answer({"error": {"message": "slow down"}}, 429, retry_after="120")
    with pytest.raises(ProviderFailed) as caught:
        llm.ask(REQUEST)
    assert caught.value.kind == "rate_limit"
    assert "120" in caught.value.text
    assert sleeps == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 503, 529])
def test_server_errors_are_repeated_with_growing_pauses(
    llm: Any, server: Stub, provider: str, sleeps: Sleeps, status: int
) -> None:
    server.answer({"error": {"message": "overloaded"}}, status)
    server.answer({"error": {"message": "overloaded"}}, status)
    server.answer(success(provider, {"status": "ok"}))
    assert llm.ask(REQUEST).data == {"status": "ok"}
    assert sleeps == [0.5, 1.0]


@pytest.mark.requirement("json-llm-error")
def test_a_server_that_stays_broken_is_a_service_error(llm: Any, server: Stub) -> None:
    server.answer({"error": {"message": "overloaded"}}, 529)
    with pytest.raises(ProviderFailed) as caught:
        llm.ask(REQUEST)
    assert caught.value.kind == "error"
    assert "529" in caught.value.message
    assert len(server.requests) == 4


@pytest.mark.requirement("json-llm-timeout")
def test_a_provider_that_does_not_answer_times_out(llm: Any, server: Stub) -> None:
    server.hang()
    with pytest.raises(ProviderFailed) as caught:
        llm.ask(LlmRequest("S", "U", SCHEMA, timeout=0.3))
    assert caught.value.kind == "timeout"


def test_a_wrong_key_is_not_repeated(llm: Any, server: Stub, sleeps: Sleeps) -> None:
    server.answer({"error": {"message": "bad key"}}, 401)
    with pytest.raises(ProviderFailed) as caught:
        llm.ask(REQUEST)
    assert caught.value.kind == "error"
    assert "API key" in caught.value.text
    assert len(server.requests) == 1


def test_prose_has_no_data(llm: Any, server: Stub, provider: str) -> None:
    server.answer(prose(provider, "Sure! I would set the email."))
    reply = llm.ask(REQUEST)
    assert reply.data is None
    assert reply.text == "Sure! I would set the email."


def test_a_truncated_answer_is_an_error(llm: Any, server: Stub, provider: str) -> None:
    server.answer(truncated(provider))
    with pytest.raises(ProviderFailed, match="cut off"):
        llm.ask(REQUEST)


def test_a_refusal_is_an_error(llm: Any, server: Stub, provider: str) -> None:
    server.answer(refused(provider))
    with pytest.raises(ProviderFailed, match="refused"):
        llm.ask(REQUEST)


def test_a_malformed_body_is_an_error(llm: Any, server: Stub) -> None:
    server.answer("<html>gateway</html>")
    with pytest.raises(ProviderFailed) as caught:
        llm.ask(REQUEST)
    assert caught.value.kind == "error"


def test_a_server_that_is_not_there_is_an_error(sleeps: Sleeps) -> None:
    llm = OpenAiLlm("m-1", "http://127.0.0.1:1/v1", "", sleep=sleeps)
    with pytest.raises(ProviderFailed, match="cannot be reached"):
        llm.ask(REQUEST)
    llm.close()


def test_a_local_server_without_response_schemas_is_asked_without(
    server: Stub, sleeps: Sleeps
) -> None:
    server.answer({"error": "unknown field response_format"}, 400)
    server.answer(success("openai", {"status": "ok"}))
    llm = OpenAiLlm("m-1", server.url, "", sleep=sleeps)
    assert llm.ask(REQUEST).data == {"status": "ok"}
    assert "response_format" not in server.requests[1]["body"]
    assert "authorization" not in server.requests[0]["headers"]
    llm.close()


def test_settings_choose_the_provider() -> None:
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost:11434/v1"}
    chosen = open_llm("openai:llama3", environ)
    assert chosen is not None
    assert chosen.name == "openai:llama3"
    assert open_llm("off", {}) is None
    anthropic, gemini = open_llm("anthropic:c", {}), open_llm("gemini:g", {})
    assert anthropic is not None
    assert gemini is not None
    assert (anthropic.name, gemini.name) == ("anthropic:c", "gemini:g")
    for wrong in ("openai", "mystery:model"):
        with pytest.raises(InvalidArgument):
            open_llm(wrong, {})


@pytest.mark.requirement("json-providers")
@pytest.mark.parametrize("provider", ["ollama", "lmstudio", "llamacpp"])
def test_a_model_on_this_machine_needs_no_key_and_no_address(provider: str) -> None:
    llm = open_llm(f"{provider}:small", {})
    assert llm is not None
    assert llm.name == f"{provider}:small"
    assert llm._address.startswith("http://127.0.0.1:")  # type: ignore[attr-defined]
