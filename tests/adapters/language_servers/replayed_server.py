"""A language server that repeats a recorded conversation, and ends at a message that is not in it.

Usage: python replayed_server.py RECORD ROOT.
"""

import json
import sys


def receive():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


with open(sys.argv[1]) as file:
    record = json.loads(file.read().replace("$ROOT", sys.argv[2]))
for entry in record:
    if "server" in entry:
        send(entry["server"])
        continue
    message = receive()
    while message is not None and "method" not in message:
        message = receive()
    if message != entry["client"]:
        sys.exit(f"not recorded: {json.dumps(message)[:400]}")
while receive() is not None:
    pass
