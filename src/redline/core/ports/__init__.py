"""What the inner layers ask of the world, as Protocols; `adapters` answers, `app` connects.

Ports stay small. A new capability gets a new Protocol in a module here, an adapter, and a lazily
built property on `services.runtime.Runtime`.
"""
