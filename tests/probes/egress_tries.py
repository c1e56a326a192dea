"""What a command tries in order to reach more than its allowed names; runs inside the sandbox."""

import os
import socket
import sys
from urllib.parse import urlsplit

PROXY = ("127.0.0.1", urlsplit(os.environ["HTTP_PROXY"]).port)


def connect(host, port):
    """Reach an address without the proxy."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as made:
        made.settimeout(5)
        made.connect((host, int(port)))
    print("CONNECTED")


def send(host, port):
    """Send a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"x", (host, int(port)))
    print("SENT")


def abstract(name):
    """Reach a service of the machine by an abstract name."""
    with socket.socket(socket.AF_UNIX) as made:
        made.connect("\0" + name)
    print("CONNECTED")


def raw():
    """Open a socket below TCP."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
        print("OPENED")


def look_up(name):
    """Resolve a name without the proxy."""
    print("FOUND", socket.getaddrinfo(name, 80))


def ask(*lines):
    """Send a request to the proxy, each argument a line; escapes are Python's."""
    text = "\r\n".join([*lines, "", ""]).encode().decode("unicode_escape").encode("latin-1")
    with socket.create_connection(PROXY, 20) as made:
        made.sendall(text)
        found = b""
        while part := made.recv(65536):
            found += part
    print(found.decode(errors="replace"))


def descriptors():
    """Look for sockets that were left open for the command."""
    for name in os.listdir("/proc/self/fd"):
        try:
            print("fd", os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            pass


def processes():
    """Look for the proxy."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{name}/cmdline", "rb") as file:
            print("process", file.read())


def interfaces():
    """Look for a way out of the namespace."""
    print(*(name for _, name in socket.if_nameindex()))


TRIES = (connect, send, abstract, raw, look_up, ask, descriptors, processes, interfaces)

if __name__ == "__main__":
    try:
        {each.__name__: each for each in TRIES}[sys.argv[1]](*sys.argv[2:])
    except OSError as problem:
        print("failed:", problem)
    print("done")
