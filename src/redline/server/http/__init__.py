"""Streamable HTTP: the ASGI application, sessions, authentication, limits.

`serve` starts it; messages go to the same conversation as over stdio.
"""
