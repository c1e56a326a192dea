"""Programs that measure Redline and its peers side by side; nothing here is a test.

`programs` are what `make bench` runs, `library` what they share, `noise` the edits that models
send, `agreement` the comparisons with language servers, which `services` start, `peer_servers` the
servers Redline is compared with, and `results` the figures, as JSON only.
"""
