"""The use cases, once each, without words of any protocol or terminal.

Toolsets, the command line and the library call these; services know none of them, and reach the
machine only through the ports of a `Runtime`.
"""
