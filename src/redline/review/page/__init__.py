"""The review page: what agents did, shown to a person who can take it back.

Server-rendered HTML over `services/`; no toolset, adapter or transport is known here.
"""
