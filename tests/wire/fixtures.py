"""A small toolset for tests of the protocol itself, switched on by REDLINE_TEST_TOOLSET."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, NoMatch, OutsideRoots, RedlineError
from redline.toolsets.call import Call, FailedCall, Question, Result, RpcFailure
from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

CHANGES = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)


def _schema(properties: Json, *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _tool(
    name: str,
    schema: Json,
    *,
    writes: bool = False,
    aliases: tuple[str, ...] = (),
    exact: bool = False,
) -> Tool:
    function = name.replace(".", "_")
    return Tool(
        name=name,
        title=name.replace("_", " "),
        description=f"Test tool {name}.",
        input_schema=schema,
        handler=f"tests.wire.fixtures:{function}",
        hints=CHANGES if writes else READS,
        writes=writes,
        aliases=aliases,
        exact=exact,
    )


def echo(call: Call) -> Result:
    """The arguments, again."""
    return Result.of_text(str(call.arguments.get("text", "")), {"arguments": call.arguments})


def raw(call: Call) -> Result:
    """The request as it came."""
    return Result.of_text((call.raw or b"").decode("utf-8", "replace"))


def whoami(call: Call) -> Result:
    """Who the server thinks is calling."""
    client = call.client
    return Result.of_text(
        client.name,
        {
            "name": client.name,
            "version": client.version,
            "protocol": client.protocol,
            "principal": client.principal,
            "connection": client.connection,
        },
    )


def broken_text(call: Call) -> Result:
    """Text that UTF-8 cannot carry, and an integer beyond 64 bits."""
    return Result.of_text("caf\udce9", {"big": 1 << 80, "nan": float("nan")})


def crash(call: Call) -> Result:
    """A bug."""
    raise ZeroDivisionError("secret detail")


def leave(call: Call) -> Result:
    """A bug that is no Exception."""
    raise SystemExit(3)


def too_deep(call: Call) -> Result:
    """An answer that cannot be written as JSON."""
    deep: Json = {}
    for _ in range(5000):
        deep = {"deeper": deep}
    return Result.of_text("deep", deep)


def refuse(call: Call) -> Result:
    """Each way of failing."""
    if call.arguments["how"] == "path":
        raise OutsideRoots("/etc/passwd")
    raise NoMatch("Text not found", hint="look again")


def block(call: Call) -> Result:
    """Wait until cancelled, or until the file named by `until` appears."""
    from pathlib import Path
    from threading import Event

    until = call.arguments.get("until")
    woken = Event()
    call.cancel.on_cancel(woken.set)
    call.progress(1, 2, "waiting")
    started = call.arguments.get("started")
    if started:
        Path(started).touch()
    while not woken.is_set():
        if until and Path(until).exists():
            return Result.of_text("released")
        woken.wait(0.02)
    marker = call.arguments.get("cancelled")
    if marker:
        Path(marker).touch()
    call.cancel.check()
    return Result.of_text("cancelled")


def hang(call: Call) -> Result:
    """Never end, in a thread that even the interpreter's exit waits for."""
    from pathlib import Path
    from threading import Event, Thread

    Thread(target=Event().wait, daemon=False).start()
    Path(call.arguments["path"]).touch()
    Event().wait()
    return Result.of_text("")


def large(call: Call) -> Result:
    """A long answer."""
    return Result.of_text("x" * int(call.arguments["size"]))


def dotted_name(call: Call) -> Result:
    """A tool whose name has a dot."""
    return Result.of_text("dotted")


def change(call: Call) -> Result:
    """Pretends to write."""
    return Result.of_text("changed")


def ask(call: Call) -> Result:
    """Ask the person for a colour."""
    if call.ask is None:
        return Result.of_text("cannot ask", is_error=True)
    form = {
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
    }
    answer = call.ask(Question("Which colour?", form, "colour"))
    return Result.of_text(f"{answer.action} {answer.content.get('colour', '')}".strip())


def wording(error: RedlineError, call: FailedCall) -> Result | RpcFailure:
    """Codes as a specification would have them."""
    if isinstance(error, InvalidArgument):
        return RpcFailure(-32602, error.text, {"reason": "invalid_arguments"})
    if isinstance(error, NoMatch):
        return RpcFailure(-32004, error.text, {"tool": call.tool})
    return Result.of_text(error.text, {"error": {"code": type(error).__name__}}, is_error=True)


_TEXT: Json = {"type": "string", "minLength": 1}

TOOLSET = Toolset(
    name="fixtures",
    title="Fixtures",
    tools=(
        _tool(
            "echo",
            _schema(
                {
                    "text": _TEXT,
                    "count": {"type": "integer", "minimum": 1, "maximum": 9},
                    "mode": {"type": "string", "enum": ["fast", "slow"]},
                    "edits": {
                        "type": "array",
                        "items": _schema({"oldText": _TEXT, "newText": _TEXT}, "oldText"),
                    },
                },
                "text",
            ),
            aliases=("say",),
        ),
        _tool("raw", _schema({"number": {"type": "number"}}), exact=True),
        _tool("whoami", _schema({})),
        _tool("broken_text", _schema({})),
        _tool("crash", _schema({})),
        _tool("leave", _schema({})),
        _tool("too_deep", _schema({})),
        _tool("refuse", _schema({"how": {"enum": ["path", "match"]}}, "how")),
        _tool("block", _schema({"until": _TEXT, "cancelled": _TEXT, "started": _TEXT})),
        _tool("hang", _schema({"path": _TEXT}, "path")),
        _tool("large", _schema({"size": {"type": "integer"}}, "size")),
        _tool("dotted.name", _schema({})),
        _tool("change", _schema({}), writes=True),
        _tool("ask", _schema({})),
    ),
    wording="tests.wire.fixtures:wording",
)
