"""JSON-RPC: bytes, messages, protocol revisions, cancellation.

Nothing here runs a tool.
"""
