"""The tools of `agent` for the command line: the same calls, without a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from redline.server.calls.catalog import Catalog
from redline.server.calls.tool_server import ToolServer
from redline.server.observe.audit import Audit
from redline.toolsets.agent.tools import TOOLSET
from redline.toolsets.tool import Client, Json

if TYPE_CHECKING:
    from collections.abc import Callable

    from redline.core.errors import RedlineError
    from redline.core.ports.history import Consent
    from redline.services.runtime import Runtime
    from redline.toolsets.call import FailedCall, Result

# What the errors of flags call the arguments of tools; `call` itself keeps the tools' own names.
_words: dict[str, str] = {}


class ShellTool(NamedTuple):
    """A tool as a command needs it: schemas of its arguments and of one edit, and what it does."""

    name: str
    fields: Mapping[str, Json]
    edit_fields: Mapping[str, Json]
    writes: bool
    runs: bool


class ShellAnswer(NamedTuple):
    """What a tool answered: its text, its fields, whether it failed and the code of a refusal."""

    text: str
    fields: Json
    failed: bool
    code: str


SHELL_TOOLS = {
    tool.name: ShellTool(
        tool.name,
        tool.input_schema["properties"],
        tool.input_schema["properties"].get("edits", {}).get("items", {}).get("properties", {}),
        tool.writes,
        tool.runs,
    )
    for tool in TOOLSET.tools
}


class ShellCalls:
    """Sends calls to the dispatcher in the name of *caller*, a client and its session."""

    def __init__(
        self,
        runtime: Runtime,
        caller: tuple[str, str],
        *,
        words: Mapping[str, str],
        read_only: bool,
        consent: Consent | None,
        as_owner: bool,
        progress: Callable[[float, float | None, str], None],
    ) -> None:
        _words.clear()
        _words.update(words)
        toolset = TOOLSET._replace(wording=f"{__name__}:word") if words else TOOLSET
        catalog = Catalog([toolset], read_only=read_only, structured=True)
        # A refusal is read where it is printed: nobody watches this process.
        self._server = ToolServer(catalog, runtime, audit=Audit(lambda _: None))
        client, session = caller
        self._client = Client(client, connection=session, session=session)
        self._person = (consent, as_owner)
        self._progress = progress

    def call(self, tool: str, arguments: Json, raw: str = "{}") -> ShellAnswer:
        """Call a tool; *raw* has its arguments as JSON, where it keeps numbers as written."""
        from redline.server.calls.dispatch import Context
        from redline.server.calls.results import META_FAILURE
        from redline.toolsets.call import RpcFailure

        consent, as_owner = self._person
        context = Context(
            self._client,
            progress=self._progress,
            raw=f'{{"params": {{"arguments": {raw}}}}}'.encode(),
            consent=consent,
            as_owner=as_owner,
        )
        answer = self._server.dispatch.call({"name": tool, "arguments": arguments}, context)
        if isinstance(answer, RpcFailure):
            return ShellAnswer(answer.message, {}, True, "FAILED")
        failed = bool(answer.get("isError"))
        meta = answer.get("_meta", {})
        fields: Json = answer.get("structuredContent") or meta.get(META_FAILURE, {})
        code = str(fields.get("error", {}).get("code", "")) if failed else ""
        texts = [block["text"] for block in answer["content"] if block["type"] == "text"]
        return ShellAnswer("\n".join(texts), fields, failed, code)


def word(error: RedlineError, call: FailedCall) -> Result:
    """Word a refusal as the tool does, with flags where it names arguments."""
    from redline.toolsets.agent.errors import WORDS
    from redline.toolsets.agent.errors import word as word_for_agents

    error.use_words({**WORDS, **_words})
    return word_for_agents(error, call)
