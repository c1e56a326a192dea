"""Trying any MCP server that edits files: calls as models send them, and what is right for each.

Nothing here touches a file or a process; `server_trial.py` runs it.
"""
