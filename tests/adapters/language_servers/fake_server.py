"""A language server that answers as it is told: rightly, wrongly, half, or not at all.

Usage: python fake_server.py MODE. It renames every word `size` of the files that it is shown.
"""

import json
import os
import re
import subprocess
import sys
import time

MODE = sys.argv[1]
OPENED = {}


def receive():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def edits(new):
    found = {}
    for uri, text in OPENED.items():
        for number, line in enumerate(text.split("\n")):
            for word in re.finditer(r"\bsize\b", line):
                at = {"line": number, "character": word.start()}
                end = {"line": number, "character": word.end()}
                found.setdefault(uri, []).append(
                    {"range": {"start": at, "end": end}, "newText": new}
                )
    return found


def hostile(new):
    """Return an answer to `rename` that must change nothing."""
    uri = next(iter(OPENED))
    place = {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 12}}
    one = {"range": place, "newText": new}
    far = {"start": {"line": 9999, "character": 0}, "end": {"line": 9999, "character": 4}}
    back = {"start": place["end"], "end": place["start"]}
    return {
        "outside": {"changes": {"file:///etc/passwd": [one]}},
        "climbs": {"changes": {uri.rpartition("/")[0] + "/../../x.py": [one]}},
        "wrong text": {"changes": {uri: [{**one, "range": {**place, "end": place["start"]}}]}},
        "far": {"changes": {uri: [{**one, "range": far}]}},
        "backwards": {"changes": {uri: [{**one, "range": back}]}},
        "other words": {"changes": {uri: [{**one, "newText": "import os; os.abort()"}]}},
        "no file": {"changes": {uri.replace("a.py", "none.py"): [one]}},
        "numbers": {"changes": {uri: [{**one, "range": {"start": 1, "end": "x"}}]}},
        "list": [one],
        "text": "nothing",
        "null": None,
        "file": {"documentChanges": [{"kind": "rename", "oldUri": uri, "newUri": uri + "x"}]},
        "booleans": {"changes": {uri: [{"range": {"start": {"line": True, "character": False}}}]}},
    }[MODE]


def answer(message):
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        return {"capabilities": {"diagnosticProvider": {}, "positionEncoding": "utf-32"}}
    if method == "textDocument/prepareRename":
        return {"placeholder": "size"}
    if method == "textDocument/diagnostic":
        return {"kind": "full", "items": []}
    if method == "textDocument/rename":
        return rename(params["newName"])
    if method == "textDocument/references":
        found = rename("x")
        changes = found.get("changes") if isinstance(found, dict) else None
        if changes is None:
            return found
        return [{"uri": uri, **edit} for uri, edits in changes.items() for edit in edits]
    return None


def rename(new):
    if MODE == "crash":
        os.abort()
    if MODE == "hang":
        time.sleep(3600)
    if MODE == "leaves a child":
        subprocess.Popen(["sleep", "3600"], start_new_session=True)
        os._exit(3)
    if MODE == "truncated":
        write(b'Content-Length: 400\r\n\r\n{"jsonrpc": "2.0", "id": ')
        os._exit(0)
    if MODE == "no header":
        write(b"x" * 100_000)
    if MODE == "huge":
        write(b"Content-Length: 99999999999\r\n\r\n{}")
    if MODE == "not json":
        write(b"Content-Length: 4\r\n\r\nnope")
    if MODE == "deep":
        body = b"[" * 200_000
        write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    if MODE == "flood":
        for _ in range(200):
            send({"method": "window/logMessage", "params": {"message": "x" * 100_000}})
    if MODE in ("right", "flood", "writes"):
        return {"changes": edits(new)}
    if MODE == "half":
        return {"changes": {uri: found[:1] for uri, found in edits(new).items()}}
    return hostile(new)


if MODE == "dies at once":
    sys.exit(1)
if MODE == "writes":
    for place in (os.getcwd() + "/evil", "/etc/evil", os.path.expanduser("~") + "/evil"):
        try:
            with open(place, "w") as file:
                file.write("x")
        except OSError:
            pass
while True:
    message = receive()
    if message is None:
        break
    document = (message.get("params") or {}).get("textDocument") or {}
    if message["method"] == "textDocument/didOpen":
        OPENED[document["uri"]] = document["text"]
    if message["method"] == "textDocument/didChange":
        OPENED[document["uri"]] = message["params"]["contentChanges"][0]["text"]
    if "id" in message:
        send({"id": message["id"], "result": answer(message)})
