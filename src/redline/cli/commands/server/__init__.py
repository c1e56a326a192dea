"""Commands that start, configure, check or demonstrate the server.

`serve_http` and `clients` have what they share.
"""
