"""Commands: `exec_command`, `write_stdin`, `kill_session`, permissions.

`gate` decides what needs permission before a command starts.
"""
