"""The people who may use a server: their rights and tokens.

`users` reads the users file; `tokens` makes, finds and revokes tokens in it.
"""
