"""Trying any MCP server that edits files: calls as models send them, and what is right for each.

`process.py` starts the server, `running.py` sends it the calls; the rest touches no file.
"""
