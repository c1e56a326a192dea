"""One `tools/call`: catalog, arguments, worker threads, dispatch.

Independent of the transport that carries the call.
"""
