"""Processes that can be killed: native parsers and other people's expressions run only here.

`isolated_calls` is the pool, `worker_process` one process of it, `child` the program inside,
`messages` what goes over the pipe. `regex_worker` searches by expression in such a pool.
"""
