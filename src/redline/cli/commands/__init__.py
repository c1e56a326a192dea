"""The commands of `redline`, by theme; `cli.main` names each module.

A command module has `configure(parser)` and `run(args)`.
"""
